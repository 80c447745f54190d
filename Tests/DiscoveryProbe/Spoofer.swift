import Glibc
import LatchkeyDiscovery

/// A spoofer that repeats other announcements under names of its own, at an address that accepts
/// connections and never answers.
enum Spoofer {
  /// Repeat until killed; writes a line for each announcement.
  static func run(interface: String) async -> Never {
    let port = listen()
    guard port != 0 else {
      Output.line("cannot listen")
      exit(71)
    }
    let watching = MulticastDiscovery(
      configuration: DiscoveryConfiguration(interfaces: [interface], allowDaemon: false))
    let running = Task { await watching.run() }
    Output.line("spoofing")
    var own: Set<String> = []
    var repeated: Set<[UInt8]> = []
    var speaking: [Task<Void, Never>] = []
    for await event in watching.events {
      guard case .found(let service) = event, !own.contains(service.instanceName), let nonce = service.text["n"],
        repeated.insert(nonce).inserted, repeated.count <= 16
      else { continue }
      let name = "spoof\(repeated.count)"
      own.insert(name)
      let speaker = MulticastDiscovery(
        configuration: DiscoveryConfiguration(interfaces: [interface], allowDaemon: false))
      speaker.advertise(ServiceAdvertisement(instanceName: name, port: port, text: service.text))
      speaking.append(Task { await speaker.run() })
      Output.line("repeated \(service.instanceName) as \(name)")
    }
    await running.value
    exit(0)
  }

  /// Listens without accepting: the kernel completes connections, and nothing else happens.
  private static func listen() -> UInt16 {
    let descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, size) == 0 && Glibc.listen(descriptor, 128) == 0
          && getsockname(descriptor, raw, &size) == 0
      }
    }
    return bound ? UInt16(bigEndian: address.sin6_port) : 0
  }
}
