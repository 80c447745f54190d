/// Tells what changed on the network or in discovery itself.
public enum DiscoveryEvent: Sendable, Hashable {
  /// A service was found, or something about it changed: take this as all that is known of it now.
  case found(DiscoveredService)

  /// Nobody announces this instance any more. It says nothing about whether the peer is alive.
  case lost(instanceName: String)

  /// Discovery moved to another state; show it to a person who asks.
  case state(DiscoveryState)

  /// Interfaces or addresses of this machine have changed, or it has slept.
  case networkChanged

  /// Another host claims the name we announced: we announce the new one instead. Treat both as our own.
  case renamed(from: String, to: String)
}
