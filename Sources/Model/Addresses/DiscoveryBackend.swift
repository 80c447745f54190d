/// The means by which a node finds other machines, as the local API names it.
///
/// Spec: Protocol/02-discovery.md §5, 07-local-api.md §4.
public enum DiscoveryBackend: String, Sendable, Hashable, CaseIterable {
  /// The back end has not been chosen yet.
  case starting
  /// The system's avahi-daemon, over D-Bus.
  case avahiDaemon = "avahi-daemon"
  /// The mDNS stack inside this process.
  case embedded
  /// Only addresses that a person gave; the node searches and announces nothing.
  case fixed = "static"

  /// A sentence for people, without a full stop.
  public var sentence: String {
    switch self {
    case .starting: "Is getting ready to find machines"
    case .avahiDaemon: "Finds machines through avahi-daemon"
    case .embedded: "Finds machines by itself, without avahi-daemon"
    case .fixed: "Does not look for machines: only given addresses are used"
    }
  }

  /// A Boolean value that indicates whether the back end searches the network.
  public var isLooking: Bool { self == .avahiDaemon || self == .embedded }

  /// Returns a sentence for people about a node's state of discovery.
  ///
  /// - Parameter state: The name of a back end, or a sentence that says why there is none, as in
  ///   `NodeStatus.discovery`.
  /// - Returns: The sentence of the back end, or `state` itself if it is not the name of one.
  public static func sentence(of state: String) -> String { DiscoveryBackend(rawValue: state)?.sentence ?? state }
}
