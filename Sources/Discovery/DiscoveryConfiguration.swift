/// The type of service that a discovery announces and looks for, the interfaces, and the back ends.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// The DNS-SD type that is announced and looked for.
  public var serviceType: String

  /// The names of the interfaces to use; `nil` if the rule decides.
  ///
  /// Spec: Protocol/02-discovery.md §6.
  public var interfaces: [String]?

  /// A Boolean value that indicates whether the mDNS stack inside the process may be used.
  public var allowEmbedded: Bool

  /// A Boolean value that indicates whether the system's avahi-daemon may be used.
  public var allowDaemon: Bool

  /// The amount of what others announce that is asked for at the beginning.
  public var attention: Attention

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - serviceType: A DNS-SD type, `_latchkey._tcp` unless a test needs another.
  ///   - interfaces: Names as `ip link` shows them, or `nil` if the rule decides; at most 16 are used.
  ///   - allowEmbedded: Whether the stack inside the process may be used.
  ///   - allowDaemon: Whether the system's avahi-daemon may be used.
  ///   - attention: The amount of what others announce that is asked for at the beginning.
  public init(
    serviceType: String = "_latchkey._tcp", interfaces: [String]? = nil, allowEmbedded: Bool = true,
    allowDaemon: Bool = true, attention: Attention = .full
  ) {
    self.serviceType = serviceType
    self.interfaces = interfaces
    self.allowEmbedded = allowEmbedded
    self.allowDaemon = allowDaemon
    self.attention = attention
  }
}

/// Returns whether to follow an instance whose TXT record holds these pairs, down to its addresses.
///
/// It is called on the loop's thread and must not wait.
public typealias ServiceInterest = @Sendable (_ text: [String: [UInt8]]) -> Bool
