/// A way to find peers on the local network and to announce this node to them.
///
/// Everything that is found is a hint: it was not authenticated, and its absence never means that a peer is gone.
///
/// Spec: Protocol/02-discovery.md.
public protocol PeerDiscovery: Sendable {
  /// Discovers until cancelled; call it once.
  ///
  /// It returns after what was announced has been withdrawn and every resource is free, and finishes `events`.
  func run() async

  /// What was found and lost, and the state of discovery.
  ///
  /// There may be one consumer. The buffer holds 4,096 events; then the oldest are dropped.
  var events: AsyncStream<DiscoveryEvent> { get }

  /// Replaces what is announced, without waiting for the network.
  ///
  /// It may be called before `run`, and as often as needed.
  ///
  /// - Parameter advertisement: What to announce from now on; `nil` withdraws it with a goodbye.
  func advertise(_ advertisement: ServiceAdvertisement?) async

  /// Checks whether anything that was of no interest is of interest now.
  ///
  /// Without a call, discovery checks every half a minute.
  func lookAgain() async

  /// Asks for so much of what others announce from now on.
  ///
  /// Services that were found stay found while nothing is asked. Those that are gone when it is asked for again are
  /// reported as lost then, after a second.
  func attend(_ attention: Attention) async
}

extension PeerDiscovery {
  /// Does nothing: everything is followed.
  public func lookAgain() async {}

  /// Does nothing: nothing is asked for.
  public func attend(_ attention: Attention) async {}
}
