/// Chooses what is announced, where, and through which back ends.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// The DNS-SD type that is announced and looked for.
  public var serviceType: String

  /// The names of the interfaces to use; nil for all but loopback and virtual ones.
  ///
  /// With nil, a machine that has nothing but loopback uses that.
  public var interfaces: [String]?

  /// Whether the mDNS stack inside the process may be used.
  public var allowEmbedded: Bool

  /// Whether the system's avahi-daemon may be used.
  public var allowDaemon: Bool

  /// How much of what others announce is asked for at the beginning.
  public var attention: Attention

  /// Choose how to discover.
  ///
  /// - Parameters:
  ///   - serviceType: a DNS-SD type, `_latchkey._tcp` unless a test needs another.
  ///   - interfaces: names as `ip link` shows them, or nil for all but loopback and virtual ones; at most 16 are used.
  ///   - allowEmbedded: whether the stack inside the process may be used.
  ///   - allowDaemon: whether the system's avahi-daemon may be used.
  ///   - attention: how much of what others announce is asked for at the beginning.
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
