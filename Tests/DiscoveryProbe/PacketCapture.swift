import Glibc

/// A capture of every mDNS packet on an interface, sent or received.
enum PacketCapture {
  /// Capture until killed.
  static func run(interface: String) -> Never {
    let everything = UInt16(0x0003).bigEndian
    // AF_PACKET and sockaddr_ll, which Swift's Glibc does not show: family, protocol, interface, 12
    // bytes more.
    let descriptor = socket(17, CInt(SOCK_RAW.rawValue), CInt(everything))
    var address = withUnsafeBytes(of: UInt16(17)) { Array($0) }
    withUnsafeBytes(of: everything) { address.append(contentsOf: $0) }
    withUnsafeBytes(of: if_nametoindex(interface)) { address.append(contentsOf: $0) }
    address += [UInt8](repeating: 0, count: 12)
    let bound = address.withUnsafeBytes { raw in
      raw.baseAddress.map { bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) } ?? -1
    }
    guard descriptor >= 0, bound == 0 else {
      Output.line("cannot capture on \(interface)")
      exit(71)
    }
    Output.line("capturing")
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let size = recv(descriptor, &buffer, buffer.count, 0)
      guard size > 0 else { continue }
      let frame = buffer.prefix(size)
      guard isMulticastDNS(frame) else { continue }
      let text = frame.map { (0x21...0x7e).contains($0) ? Character(UnicodeScalar($0)) : "." }
      Output.line("mdns " + String(text))
    }
  }

  /// UDP to port 5353 over either IP version, without tags or options before it.
  private static func isMulticastDNS(_ frame: ArraySlice<UInt8>) -> Bool {
    let frame = Array(frame)
    guard frame.count > 14 else { return false }
    let udp: Int
    switch (frame[12], frame[13]) {
    case (0x08, 0x00):
      guard frame.count > 34, frame[23] == 17 else { return false }
      udp = 14 + Int(frame[14] & 0x0f) * 4
    case (0x86, 0xdd):
      guard frame.count > 54, frame[20] == 17 else { return false }
      udp = 54
    default: return false
    }
    return frame.count > udp + 4 && UInt16(frame[udp + 2]) << 8 | UInt16(frame[udp + 3]) == 5353
  }
}
