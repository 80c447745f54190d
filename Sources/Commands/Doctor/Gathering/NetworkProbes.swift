import Glibc
import LatchkeyModel
import LatchkeySystem

/// Tests of addresses by TCP connections, which are made at the same time and closed immediately.
enum AddressProber {
  /// Connects to the first 8 addresses of the form `host:port`, within 2 s for all of them.
  static func probe(_ addresses: [String], _ interfaces: [NetworkInterface]) -> [AddressProbe] {
    var waiting: [CInt: Int] = [:]
    var probes: [AddressProbe] = []
    for text in addresses.prefix(8) {
      guard let endpoint = SocketEndpoint(text) else { continue }
      let (descriptor, outcome) = begin(endpoint.host, String(endpoint.port))
      probes.append(
        AddressProbe(address: text, outcome: outcome, interface: interface(towards: endpoint.host, interfaces)))
      if let descriptor { waiting[descriptor] = probes.count - 1 }
    }
    let deadline = SystemClock.awake.milliseconds + 2_000
    while !waiting.isEmpty {
      var polls = waiting.keys.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
      let rest = deadline - SystemClock.awake.milliseconds
      guard rest > 0, poll(&polls, nfds_t(polls.count), CInt(rest)) > 0 else { break }
      for found in polls where found.revents != 0 {
        guard let index = waiting.removeValue(forKey: found.fd) else { continue }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(found.fd, SOL_SOCKET, SO_ERROR, &code, &length)
        probes[index].outcome = outcome(code)
        close(found.fd)
      }
    }
    for descriptor in waiting.keys { close(descriptor) }
    return probes
  }

  /// Begins an attempt; returns its outcome so far and, while it is in progress, its descriptor.
  private static func begin(_ host: String, _ port: String) -> (CInt?, AddressProbe.Outcome) {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (CInt(SOCK_STREAM.rawValue), AI_NUMERICSERV)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, port, &hints, &list)
    guard code == 0, let target = list?.pointee else { return (nil, .noWay(String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(target.ai_family, kind, 0)
    guard descriptor >= 0 else { return (nil, .noWay(SystemError.reason())) }
    if connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 {
      close(descriptor)
      return (nil, .connected)
    }
    let fault = errno
    if fault == EINPROGRESS { return (descriptor, .silent) }
    close(descriptor)
    return (nil, outcome(fault))
  }

  private static func outcome(_ code: CInt) -> AddressProbe.Outcome {
    switch code {
    case 0: .connected
    case ECONNREFUSED: .refused
    case ETIMEDOUT: .silent
    default: .noWay(SystemError.reason(code))
    }
  }

  /// Returns the interface through which packets to a numeric address leave, without sending any;
  /// `nil` if no route leads there.
  static func interface(towards host: String, _ interfaces: [NetworkInterface]) -> String? {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (CInt(SOCK_DGRAM.rawValue), AI_NUMERICHOST)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "9", &hints, &list) == 0, let target = list?.pointee else { return nil }
    defer { freeaddrinfo(list) }
    let descriptor = socket(target.ai_family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 else { return nil }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let own = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0 ? IPAddress(address) : nil
      }
    }
    guard let own else { return nil }
    return interfaces.first { $0.addresses.contains(own) }?.name
  }
}

/// A question to the mDNS group of each interface, which shows whether multicast works.
enum MulticastProber {
  /// A PTR question for Latchkey's service type, answered to the group (RFC 6762).
  static let question: [UInt8] =
    [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9] + Array("_latchkey".utf8) + [4] + Array("_tcp".utf8) + [5]
    + Array("local".utf8) + [0, 0, 12, 0, 1]

  /// IP_MULTICAST_ALL of `linux/in.h`, which Swift's Glibc does not show.
  private static let multicastAll: CInt = 49

  /// Asks on the interfaces that have an IPv4 address, one after the other, and listens on each.
  static func probe(_ interfaces: [NetworkInterface]) -> [MulticastProbe] {
    interfaces.compactMap { interface in
      interface.addresses.first(where: \.isV4).map { probe(interface.name, $0.bytes) }
    }
  }

  private static func probe(_ name: String, _ own: [UInt8]) -> MulticastProbe {
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
    // Packets from other interfaces are ignored: this machine may have joined the group there too.
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
    listen(descriptor, own, &probe)
    return probe
  }

  /// Listens for 700 ms.
  private static func listen(_ descriptor: CInt, _ own: [UInt8], _ probe: inout MulticastProbe) {
    var others: Set<UInt32> = []
    var buffer = [UInt8](repeating: 0, count: 9_000)
    let deadline = SystemClock.awake.milliseconds + 700
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
