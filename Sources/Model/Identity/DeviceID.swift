/// The permanent ID of a device: the first 20 bytes of SHA-256 over a domain string and its two
/// public keys.
///
/// As text, it has 32 Crockford base-32 symbols and a Luhn mod 32 check symbol, in groups of four,
/// such as `ABCD-EFGH-…-K`.
///
/// Spec: Protocol/01-overview.md §3.
public struct DeviceID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a device ID"

  public let bytes: [UInt8]

  public static let size = 20

  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates an ID from text, without regard to case, dashes and spaces; checks its last symbol.
  public init?(_ text: some StringProtocol) {
    let compact = String(text).filter { $0 != "-" && $0 != " " }
    guard let values = Crockford.values(compact), values.count == 33, Crockford.check(values.dropLast()) == values[32],
      let bytes = Crockford.bytes(values.dropLast())
    else { return nil }
    self.init(bytes: bytes)
  }

  /// The first eight symbols: enough for a family's tables, and never proof of an identity.
  public var short: String { String(description.prefix(9)) }

  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  public var description: String {
    let text = Crockford.encode(bytes)
    let check = Crockford.symbols[Int(Crockford.check(Crockford.values(text) ?? []))]
    let symbols = Array(text.utf8)
    var groups = stride(from: 0, to: 32, by: 4).map { String(decoding: symbols[$0..<$0 + 4], as: UTF8.self) }
    groups.append(String(decoding: [check], as: UTF8.self))
    return groups.joined(separator: "-")
  }
}
