import Glibc
import LatchkeyModel
import LatchkeySystem

/// Tests of addresses by TCP connections, which are made at the same time and closed immediately.
enum AddressProber {
  /// Connects to at most 8 addresses.
  ///
  /// - Parameters:
  ///   - addresses: Texts of the form `host:port`. Only the first 8 are used.
  ///   - interfaces: The machine's interfaces, to name the one that leads to each address.
  ///   - milliseconds: The time limit for all attempts together.
  /// - Returns: The results, in the order of the addresses.
  static func probe(_ addresses: [String], _ interfaces: [NetworkInterface], milliseconds: Int64 = 2_000)
    -> [AddressProbe]
  {
    var waiting: [CInt: Int] = [:]
    var probes: [AddressProbe] = []
    for text in addresses.prefix(8) {
      guard let endpoint = SocketEndpoint(text) else { continue }
      let (descriptor, outcome) = begin(endpoint.host, String(endpoint.port))
      probes.append(
        AddressProbe(address: text, outcome: outcome, interface: interface(towards: endpoint.host, interfaces)))
      if let descriptor { waiting[descriptor] = probes.count - 1 }
    }
    let deadline = SystemClock.awake.milliseconds + milliseconds
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

  /// Begins an attempt.
  ///
  /// Returns its outcome so far and, if it is still in progress, its descriptor.
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

  /// Returns the interface through which packets to an address leave, without sending any.
  ///
  /// - Parameters:
  ///   - host: A numeric address.
  ///   - interfaces: The machine's interfaces.
  /// - Returns: The name of the interface; `nil` if no route leads there.
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
