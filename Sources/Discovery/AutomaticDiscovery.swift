/// Discovers through the system's avahi-daemon where one serves the wanted interfaces, otherwise through the mDNS stack
/// inside the process, and moves between the two as the daemon comes, goes or restarts.
///
/// Spec: Protocol/02-discovery.md §5
public final class AutomaticDiscovery: PeerDiscovery {
  private let runner: DiscoveryRunner

  /// What was found and lost, and the state of discovery.
  public var events: AsyncStream<DiscoveryEvent> { runner.events }

  /// Prepare discovery; nothing is opened before `run`.
  ///
  /// - Parameters:
  ///   - configuration: what to announce where; back ends that it does not allow are not used.
  ///   - isOfInterest: whether an instance is to be followed; of others no address is told, and their port is 0.
  public init(configuration: DiscoveryConfiguration, isOfInterest: @escaping ServiceInterest = { _ in true }) {
    runner = DiscoveryRunner(configuration: configuration, isOfInterest: isOfInterest)
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

  /// See whether what was of no interest is of interest now.
  public func lookAgain() async {
    runner.post(.lookAgain)
  }

  /// Ask for so much of what others announce from now on.
  public func attend(_ attention: Attention) async {
    runner.post(.attend(attention))
  }
}
