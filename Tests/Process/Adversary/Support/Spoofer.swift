import LatchkeyDiscovery

/// A spoofer that announces the discriminator of another machine's code at ports of its own, on
/// loopback only.
final class Spoofer: Sendable {
  private let running: Task<Void, Never>

  /// Announces an open code until `end`; names that sort first are tried first.
  init(discriminator: UInt16, port: UInt16, name: String) {
    let discovery = MulticastDiscovery(configuration: DiscoveryConfiguration(interfaces: ["lo"], allowDaemon: false))
    running = Task {
      discovery.advertise(
        ServiceAdvertisement(
          instanceName: name, port: port,
          text: ["v": Array("1".utf8), "n": Array("spoofed!".utf8), "d": Array("\(discriminator)".utf8)]))
      await discovery.run()
    }
  }

  /// Withdraws it.
  func end() async {
    running.cancel()
    await running.value
  }
}
