import Glibc
import LatchkeySystem

/// A question to the mDNS group of each interface, which shows whether multicast works.
enum MulticastProber {
  /// A PTR question for Latchkey's service type, answered to the group (RFC 6762).
  static let question: [UInt8] =
    [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9] + Array("_latchkey".utf8) + [4] + Array("_tcp".utf8) + [5]
    + Array("local".utf8) + [0, 0, 12, 0, 1]

  /// IP_MULTICAST_ALL of `linux/in.h`, which Swift's Glibc does not show.
  private static let multicastAll: CInt = 49

  /// Asks on the interfaces that have an IPv4 address, one after the other.
  ///
  /// - Parameters:
  ///   - interfaces: The machine's interfaces.
  ///   - milliseconds: The time to listen on each.
  /// - Returns: The result for each interface that was asked.
  static func probe(_ interfaces: [NetworkInterface], milliseconds: Int64 = 700) -> [MulticastProbe] {
    interfaces.compactMap { interface in
      guard let own = interface.addresses.first(where: \.isV4) else { return nil }
      return probe(interface.name, own.bytes, milliseconds)
    }
  }

  private static func probe(_ name: String, _ own: [UInt8], _ milliseconds: Int64) -> MulticastProbe {
    var probe = MulticastProbe(interface: name, heardItself: false)
    let kind = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else {
      probe.fault = SystemError.reason()
      return probe
    }
    defer { close(descriptor) }
    var yes: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, size)
    var group = ip_mreqn(
      imr_multiaddr: in_addr(s_addr: address([224, 0, 0, 251])), imr_address: in_addr(s_addr: address(own)),
      imr_ifindex: CInt(if_nametoindex(name)))
    // Packets from other interfaces are ignored, since this machine may have joined the group there
    // as well.
    var no: CInt = 0
    setsockopt(descriptor, CInt(IPPROTO_IP), Self.multicastAll, &no, size)
    let groupSize = socklen_t(MemoryLayout<ip_mreqn>.size)
    var here = socketAddress([0, 0, 0, 0])
    let there = socketAddress([224, 0, 0, 251])
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafePointer(to: &here) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        && setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, groupSize) == 0
        && setsockopt(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_IF, &group, groupSize) == 0
        && setsockopt(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_LOOP, &yes, size) == 0
    }
    let sent = withUnsafePointer(to: there) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        isReady ? sendto(descriptor, question, question.count, 0, $0, length) : -1
      }
    }
    guard sent == question.count else {
      probe.fault = SystemError.reason()
      return probe
    }
    listen(descriptor, own, milliseconds, &probe)
    return probe
  }

  private static func listen(_ descriptor: CInt, _ own: [UInt8], _ milliseconds: Int64, _ probe: inout MulticastProbe) {
    var others: Set<UInt32> = []
    var buffer = [UInt8](repeating: 0, count: 9_000)
    let deadline = SystemClock.awake.milliseconds + milliseconds
    while true {
      var polls = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      let rest = deadline - SystemClock.awake.milliseconds
      guard rest > 0, poll(&polls, 1, CInt(rest)) > 0 else { break }
      var from = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &from) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
        }
      }
      guard count > 0 else { continue }
      if from.sin_addr.s_addr == address(own) {
        if Array(buffer.prefix(count)) == question { probe.heardItself = true }
      } else if others.count < 256 {
        others.insert(from.sin_addr.s_addr)
      }
    }
    probe.heardOthers = others.count
  }

  private static func address(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  private static func socketAddress(_ bytes: [UInt8]) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(5_353).bigEndian
    address.sin_addr.s_addr = Self.address(bytes)
    return address
  }
}
