import Glibc

/// Tries TCP connections, all at once, and closes them.
enum AddressProber {
  /// Try addresses of the form `host:port`, at most 8 of them.
  ///
  /// - Parameter milliseconds: how long to wait for all of them together.
  static func probe(_ addresses: [String], _ interfaces: [InterfaceFacts], milliseconds: Int64 = 2_000)
    -> [AddressProbe]
  {
    var waiting: [CInt: Int] = [:]
    var probes: [AddressProbe] = []
    for text in addresses.prefix(8) {
      guard let colon = text.lastIndex(of: ":") else { continue }
      let host = String(text[..<colon].drop { $0 == "[" }.prefix { $0 != "]" })
      let (descriptor, outcome) = begin(host, String(text[text.index(after: colon)...]))
      probes.append(
        AddressProbe(
          address: text, outcome: outcome, interface: NetworkGatherer.interface(towards: host, interfaces)))
      if let descriptor { waiting[descriptor] = probes.count - 1 }
    }
    let deadline = ToolRun.now() + milliseconds
    while !waiting.isEmpty {
      var polls = waiting.keys.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
      let rest = deadline - ToolRun.now()
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

  /// Begin one; a descriptor while it is under way.
  private static func begin(_ host: String, _ port: String) -> (CInt?, AddressProbe.Outcome) {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (CInt(SOCK_STREAM.rawValue), AI_NUMERICSERV)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, port, &hints, &list)
    guard code == 0, let target = list?.pointee else { return (nil, .noWay(String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(target.ai_family, kind, 0)
    guard descriptor >= 0 else { return (nil, .noWay(SystemFile.reason(errno))) }
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
    default: .noWay(SystemFile.reason(code))
    }
  }
}
