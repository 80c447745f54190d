/// A way to find peers on the local network and to announce this node to them.
///
/// Everything that is found is a hint: it was not authenticated, and its absence never means that a
/// peer is gone.
///
/// Spec: Protocol/02-discovery.md.
public protocol PeerDiscovery: Sendable {
  /// Runs discovery until cancelled; call it once.
  ///
  /// It returns after the announcement is withdrawn and every resource is free, and finishes
  /// `events`.
  func run() async

  /// The found and lost services, and the state of discovery.
  ///
  /// There may be one consumer. The buffer holds 4,096 events; the oldest are dropped beyond that.
  var events: AsyncStream<DiscoveryEvent> { get }

  /// Replaces the announcement, without waiting for the network.
  ///
  /// It may be called before `run`, and any number of times.
  ///
  /// - Parameter advertisement: The new announcement; `nil` withdraws it with a goodbye.
  func advertise(_ advertisement: ServiceAdvertisement?) async

  /// Examines again whether ignored instances are of interest now.
  ///
  /// Without a call, discovery checks every half a minute.
  func lookAgain() async

  /// Sets the attention to other machines' announcements.
  ///
  /// Services that were found remain found while there is no attention. Services that have
  /// disappeared meanwhile are reported as lost a second after it returns.
  ///
  /// - Parameter attention: The attention from now on.
  func attend(_ attention: Attention) async
}

extension PeerDiscovery {
  /// Does nothing, since all instances are followed.
  public func lookAgain() async {}

  /// Does nothing, since nothing is searched.
  public func attend(_ attention: Attention) async {}
}
