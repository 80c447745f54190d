/// Discovers through the system's avahi-daemon alone, and says so where none serves the wanted interfaces.
///
/// Spec: Protocol/02-discovery.md §5
public final class AvahiDaemonDiscovery: PeerDiscovery {
  private let runner: DiscoveryRunner

  /// What was found and lost, and the state of discovery.
  public var events: AsyncStream<DiscoveryEvent> { runner.events }

  /// Prepare discovery; nothing is opened before `run`.
  ///
  /// - Parameter configuration: what to announce where; its choice of back ends is not looked at.
  public init(configuration: DiscoveryConfiguration) {
    var configuration = configuration
    configuration.allowDaemon = true
    configuration.allowEmbedded = false
    runner = DiscoveryRunner(configuration: configuration)
  }

  /// Discover until cancelled; call it once.
  public func run() async {
    await runner.run()
  }

  /// Replace what is announced, or withdraw it.
  ///
  /// - Parameter advertisement: what to announce from now on, or nil.
  public func advertise(_ advertisement: ServiceAdvertisement?) async {
    runner.post(.advertise(advertisement))
  }
}
