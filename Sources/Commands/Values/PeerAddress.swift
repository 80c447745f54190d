import ArgumentParser

/// A machine's address as `host:port`; an IPv6 address stands in brackets.
struct PeerAddress: Hashable, Sendable, ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":") else { return nil }
    let host = argument[..<colon]
    let digits = argument[argument.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0,
      !host.isEmpty, host.utf8.count <= 255, !host.contains(where: \.isWhitespace)
    else { return nil }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
    guard isBracketed || !host.contains(where: { ":[]".contains($0) }) else { return nil }
    text = argument
  }
}
