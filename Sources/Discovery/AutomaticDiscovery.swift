/// Discovers through the system's avahi-daemon where one serves the wanted interfaces, otherwise through the mDNS stack
/// inside the process, and moves between the two as the daemon comes, goes or restarts.
///
/// Spec: Protocol/ discovery, "Back ends"
public final class AutomaticDiscovery: PeerDiscovery {
  private let runner: DiscoveryRunner

  /// What was found and lost, and the state of discovery.
  public var events: AsyncStream<DiscoveryEvent> { runner.events }

  /// Prepare discovery; nothing is opened before `run`.
  ///
  /// - Parameter configuration: what to announce where; back ends that it does not allow are not used.
  public init(configuration: DiscoveryConfiguration) {
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
