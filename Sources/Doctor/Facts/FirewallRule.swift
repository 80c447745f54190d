/// One rule of a chain, as far as it is understood.
public struct FirewallRule: Sendable, Hashable {
  public enum Verdict: Sendable, Hashable {
    case accept
    /// Or reject.
    case drop
    case jump(String)
    case goTo(String)
    case returns
    /// It only counts or logs.
    case none
  }

  /// Transports that it is about; nil for all.
  public var transports: Set<String>?
  /// Destination ports that it is about; nil for all.
  public var ports: [ClosedRange<UInt16>]?
  /// The interface that it is about; nil for all.
  ///
  /// One that ends in `*` is a beginning.
  public var interface: String?
  /// The interface that it is not about, as in the kill switch of a VPN; nil for none.
  public var exceptInterface: String?
  /// Whether it is about packets of connections that are known already, which ours are not.
  public var isOfKnownConnections: Bool
  /// Whether it has conditions that are not understood.
  public var hasMore: Bool
  public var verdict: Verdict

  public init(
    transports: Set<String>? = nil, ports: [ClosedRange<UInt16>]? = nil, interface: String? = nil,
    exceptInterface: String? = nil, isOfKnownConnections: Bool = false, hasMore: Bool = false, verdict: Verdict
  ) {
    self.transports = transports
    self.ports = ports
    self.interface = interface
    self.exceptInterface = exceptInterface
    self.isOfKnownConnections = isOfKnownConnections
    self.hasMore = hasMore
    self.verdict = verdict
  }

  /// Whether a packet may meet it.
  func mayMeet(_ packet: FirewallPacket) -> Bool {
    if isOfKnownConnections { return false }
    if let transports, !transports.contains(packet.transport) { return false }
    if let ports, !ports.contains(where: { $0.contains(packet.port) }) { return false }
    if let exceptInterface, Self.matches(exceptInterface, packet.interface) { return false }
    return interface.map { Self.matches($0, packet.interface) } ?? true
  }

  private static func matches(_ pattern: String, _ name: String) -> Bool {
    pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
  }
}
