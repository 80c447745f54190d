/// Finds peers on the local network and announces this node to them.
///
/// Whatever is found is a hint: it was not authenticated, and its absence never means that a peer is gone.
///
/// Spec: Protocol/02-discovery.md
public protocol PeerDiscovery: Sendable {
  /// Discover until cancelled; call it once.
  ///
  /// It returns after what was announced has been withdrawn and every resource is free, and finishes `events`.
  func run() async

  /// What was found and lost, and the state of discovery. One consumer; the buffer holds 4096 events, after which the
  /// oldest go first.
  var events: AsyncStream<DiscoveryEvent> { get }

  /// Replace what is announced. It may come before `run` and as often as needed; it returns without waiting for the
  /// network.
  ///
  /// - Parameter advertisement: what to announce from now on, or nil to withdraw with a goodbye.
  func advertise(_ advertisement: ServiceAdvertisement?) async

  /// See whether what was of no interest is of interest now; without this that is seen within half a minute.
  func lookAgain() async

  /// Ask for so much of what others announce from now on.
  ///
  /// What was found stays found while nothing is asked; what is gone when it is asked for again is reported as lost then,
  /// after a second.
  func attend(_ attention: Attention) async
}

extension PeerDiscovery {
  /// Do nothing: everything is followed.
  public func lookAgain() async {}

  /// Do nothing: nothing is asked.
  public func attend(_ attention: Attention) async {}
}
