import LatchkeyModel

/// A change on the network or in discovery itself.
public enum DiscoveryEvent: Sendable, Hashable {
  /// A service was found or has changed. This is everything that is known of it now.
  case found(DiscoveredService)

  /// An instance is no longer announced, which says nothing about whether the peer is running.
  case lost(instanceName: String)

  /// The state of discovery has changed, which is shown to a person who asks.
  case state(DiscoveryState)

  /// The machine's interfaces or addresses have changed, or it has slept.
  case networkChanged

  /// Another host claims the announced name, so the new one is announced instead. Both are this
  /// node's own.
  case renamed(from: String, to: String)
}

public enum DiscoveryState: Sendable, Hashable {
  /// The back end has not been chosen yet.
  case starting

  /// Discovery announces and looks through this back end.
  case running(DiscoveryBackend)

  /// Nothing is announced or seen for now; discovery continues by itself once the cause is gone.
  ///
  /// The sentence names the fault and the next step.
  case failed(String)
}
