/// The host's packet filter.
public struct FirewallFacts: Sendable, Hashable {
  /// A program that manages the rules, which a person uses to change them.
  public enum Keeper: String, Sendable, Hashable {
    case ufw
    case firewalld
  }

  /// The reason why rules could not be read.
  public enum Unread: Sendable, Hashable {
    /// Only root may read them, and this is another account.
    case needsRoot
    /// The tool that reads them is not installed.
    case noTool
    /// This version does not understand the tool's output.
    case notUnderstood
    /// The tool failed although root runs it, for the reason in its message.
    case failed(String)

    var reason: String {
      switch self {
      case .needsRoot: "only root may read them"
      case .noTool: "there is no `nft` here"
      case .notUnderstood: "`nft` says what is not understood"
      case .failed(let reason): "`nft` failed (\(reason))"
      }
    }

    var next: String {
      switch self {
      case .needsRoot: "Run `sudo latchkey doctor` with the same --state-dir for that."
      case .noTool: "Install it with `sudo apt install nftables`, and run this again."
      case .notUnderstood: "Look in `sudo nft list ruleset` for what drops UDP port 5353 or the node's TCP port."
      case .failed:
        "See what `sudo nft list ruleset` says; in a container, root may not read them either, and they are its host's."
      }
    }
  }

  /// The chains of all tools whose rules could be read.
  public var chains: [FirewallChain]
  /// The program that manages the rules; `nil` if none is known.
  public var keeper: Keeper?
  /// The reason why rules could not be read; `nil` if they were read or cannot exist.
  public var unread: Unread?

  public init(chains: [FirewallChain] = [], keeper: Keeper? = nil, unread: Unread? = nil) {
    self.chains = chains
    self.keeper = keeper
    self.unread = unread
  }
}

/// A chain of the packet filter.
public struct FirewallChain: Sendable, Hashable {
  /// The table of the chain, such as `inet filter`; jumps stay within it.
  public var table: String
  public var name: String
  /// The hook that sends packets to the chain, such as `input`; `nil` if only other chains call it.
  public var hook: String?
  /// A Boolean value that indicates whether packets to which no rule applies are dropped.
  public var drops: Bool
  public var rules: [FirewallRule]

  public init(table: String, name: String, hook: String? = nil, drops: Bool = false, rules: [FirewallRule] = []) {
    self.table = table
    self.name = name
    self.hook = hook
    self.drops = drops
    self.rules = rules
  }

  /// Returns whether packets with this IP version enter the chain.
  func sees(_ packet: FirewallPacket) -> Bool {
    let family = table.prefix { $0 != " " }
    return family == "inet" || (family == "ip" && !packet.isV6) || (family == "ip6" && packet.isV6)
  }
}

/// A rule of a chain, as far as this version can interpret it.
public struct FirewallRule: Sendable, Hashable {
  /// The effect of a rule on a packet.
  public enum Verdict: Sendable, Hashable {
    case accept
    /// The packet is dropped or rejected.
    case drop
    case jump(String)
    case goTo(String)
    case returns
    /// The rule only counts or logs.
    case none
  }

  /// The transports to which the rule applies; `nil` for all.
  public var transports: Set<String>?
  /// The destination ports to which the rule applies; `nil` for all.
  public var ports: [ClosedRange<UInt16>]?
  /// The interface to which the rule applies; `nil` for all.
  ///
  /// A name that ends in `*` is a prefix.
  public var interface: String?
  /// The interface to which the rule does not apply, as in the kill switch of a VPN; `nil` for
  /// none.
  public var exceptInterface: String?
  /// A Boolean value that indicates whether the rule applies only to established connections.
  public var isOfKnownConnections: Bool
  /// A Boolean value that indicates whether the rule has conditions that this version cannot
  /// interpret.
  public var hasMore: Bool
  public var verdict: Verdict

  /// Creates a rule; omitted conditions are met by every packet.
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

/// A packet that matters to Latchkey: the first of a connection, or a multicast packet.
struct FirewallPacket: Sendable, Hashable {
  /// The transport, `tcp` or `udp`.
  var transport: String
  var port: UInt16
  /// The interface on which the packet arrives or leaves.
  var interface: String
  var isV6 = false
}
