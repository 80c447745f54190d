import Glibc
import NIOPosix

/// The addresses of names, asked of the system.
enum NameLookup {
  /// Returns the addresses of a name or of an address in text, in the order in which they are to be
  /// tried; none if it is unknown.
  static func addresses(of host: String) async -> [NetworkAddress] {
    do {
      return try await NIOThreadPool.singleton.runIfActive { ask(host) }
    } catch {
      return []
    }
  }

  private static func ask(_ host: String) -> [NetworkAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = address(entry), !addresses.contains(address) { addresses.append(address) }
      next = entry.ai_next
    }
    return addresses
  }

  private static func address(_ entry: addrinfo) -> NetworkAddress? {
    guard let start = entry.ai_addr else { return nil }
    let memory = UnsafeRawPointer(start)
    switch entry.ai_family {
    case AF_INET:
      var address = memory.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: &address) { NetworkAddress(bytes: [UInt8]($0)) }
    case AF_INET6:
      var address = memory.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: &address) { NetworkAddress(bytes: [UInt8]($0)) }
    default: return nil
    }
  }
}
