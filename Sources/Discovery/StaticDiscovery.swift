/// A discovery that finds and announces nothing, for nodes whose peers a person names.
///
/// Spec: Protocol/02-discovery.md §5.
public final class StaticDiscovery: PeerDiscovery {
  /// One event: that the fixed back end runs.
  ///
  /// It finishes when `run` returns.
  public let events: AsyncStream<DiscoveryEvent>

  private let continuation: AsyncStream<DiscoveryEvent>.Continuation

  public init() {
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Waits until cancelled; call it once.
  public func run() async {
    continuation.yield(.state(.running(.fixed)))
    let (forever, end) = AsyncStream<Never>.makeStream()
    for await _ in forever {}
    end.finish()
    continuation.finish()
  }

  /// Does nothing: this node is not announced.
  ///
  /// - Parameter advertisement: Not used.
  public func advertise(_ advertisement: ServiceAdvertisement?) async {}
}
