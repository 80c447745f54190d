import Glibc

/// A relay that carries frames between two interfaces with a delay, to simulate a slow network that
/// the kernel does not offer.
enum FrameRelay {
  /// A frame on its way, behind the header that tells what of its checksum is still to be done.
  private struct Waiting {
    var due: Int64
    var bytes: [UInt8]
    var to: CInt
  }

  /// Relays frames between two interfaces, each after a delay in milliseconds, until the process is
  /// killed.
  static func run(_ one: String, _ other: String, milliseconds: Int64) -> Never {
    let sockets = [open(one), open(other)]
    guard sockets.allSatisfy({ $0 >= 0 }) else {
      Output.line("cannot relay between \(one) and \(other)")
      exit(71)
    }
    Output.line("relaying")
    // All wait equally long, so the first to come is the first to go.
    var waiting: [Waiting] = []
    var buffer = [UInt8](repeating: 0, count: 70_000)
    while true {
      let wait = waiting.first.map { max(0, $0.due - now()) } ?? -1
      var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&polled, nfds_t(polled.count), CInt(wait))
      for (index, entry) in polled.enumerated() where entry.revents != 0 {
        while waiting.count < 10_000, let frame = receive(sockets[index], &buffer) {
          waiting.append(Waiting(due: now() + milliseconds, bytes: frame, to: sockets[1 - index]))
        }
      }
      let moment = now()
      let ready = waiting.prefix { $0.due <= moment }
      for frame in ready { _ = send(frame.to, frame.bytes, frame.bytes.count, CInt(MSG_DONTWAIT)) }
      waiting.removeFirst(ready.count)
    }
  }

  /// A packet socket (AF_PACKET is 17, SOL_PACKET 263) on an interface that also carries what
  /// offloading left undone.
  private static func open(_ interface: String) -> CInt {
    let everything = UInt16(0x0003).bigEndian
    let descriptor = socket(17, CInt(SOCK_RAW.rawValue), CInt(everything))
    var on: CInt = 1
    // PACKET_VNET_HDR, then PACKET_IGNORE_OUTGOING, or it would hear itself.
    guard setsockopt(descriptor, 263, 15, &on, 4) == 0, setsockopt(descriptor, 263, 23, &on, 4) == 0 else { return -1 }
    var address = withUnsafeBytes(of: UInt16(17)) { Array($0) }
    withUnsafeBytes(of: everything) { address.append(contentsOf: $0) }
    withUnsafeBytes(of: if_nametoindex(interface)) { address.append(contentsOf: $0) }
    address += [UInt8](repeating: 0, count: 12)
    let bound = address.withUnsafeBytes { raw in
      raw.baseAddress.map { bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) } ?? -1
    }
    return bound == 0 ? descriptor : -1
  }

  private static func receive(_ descriptor: CInt, _ buffer: inout [UInt8]) -> [UInt8]? {
    let size = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
    return size > 0 ? Array(buffer.prefix(size)) : nil
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
