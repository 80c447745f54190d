/// The configuration of a discovery: the service type, the interfaces and the permitted back ends.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// The DNS-SD type that is announced and searched for; `_latchkey._tcp` unless a test needs
  /// another one.
  public var serviceType: String

  /// The names of the interfaces to use, as `ip link` shows them; `nil` if the general rule
  /// applies.
  ///
  /// At most 16 interfaces are used.
  ///
  /// Spec: Protocol/02-discovery.md §6.
  public var interfaces: [String]?

  /// A Boolean value that indicates whether the mDNS stack inside the process may be used.
  public var allowEmbedded: Bool

  /// A Boolean value that indicates whether the system's avahi-daemon may be used.
  public var allowDaemon: Bool

  /// The attention to other machines' announcements at the start.
  public var attention: Attention

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
