/// The host's packet filter.
struct FirewallFacts: Sendable, Hashable {
  /// A program that manages the rules, which a person uses to change them.
  enum Keeper: String, Sendable, Hashable {
    case ufw, firewalld
  }

  /// Why rules could not be read.
  enum Unread: Sendable, Hashable {
    case needsRoot, noTool, notUnderstood
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
  var chains: [FirewallChain] = []
  /// The program that manages the rules; `nil` if none is known.
  var keeper: Keeper?
  /// `nil` if the rules were read or cannot exist.
  var unread: Unread?

  enum Fate: Sendable, Hashable {
    case passes, dropped
    /// The fate depends on a condition that is not understood.
    case unclear
  }

  private enum Step {
    case accepted, dropped, unclear
    /// No rule applies, so the calling chain continues.
    case goesOn
  }

  /// Returns the fate of a packet at a hook; it passes only if every chain there accepts it.
  func fate(of packet: FirewallPacket, at hook: String) -> Fate {
    var fate = Fate.passes
    for chain in chains where chain.hook == hook && chain.sees(packet) {
      switch walk(chain, packet, depth: 0) {
      case .dropped: return .dropped
      case .unclear: fate = .unclear
      case .accepted: break
      case .goesOn: if chain.drops { return .dropped }
      }
    }
    return fate
  }

  private func walk(_ chain: FirewallChain, _ packet: FirewallPacket, depth: Int) -> Step {
    // Rules cannot form a circle, but the text that was read may claim that they do.
    guard depth < 32 else { return .unclear }
    var isUnclear = false
    for rule in chain.rules where rule.mayMeet(packet) {
      var step = Step.goesOn
      var leaves = false
      switch rule.verdict {
      case .none: continue
      case .accept: step = .accepted
      case .drop: step = .dropped
      case .returns: leaves = true
      case .jump(let name), .goTo(let name):
        if case .goTo = rule.verdict { leaves = true }
        guard let next = chains.first(where: { $0.table == chain.table && $0.name == name }) else { continue }
        step = walk(next, packet, depth: depth + 1)
      }
      if rule.hasMore {
        if case .goesOn = step, !leaves { continue }
        isUnclear = true
        continue
      }
      switch step {
      case .goesOn: if leaves { return isUnclear ? .unclear : .goesOn }
      case .unclear: isUnclear = true
      case .accepted, .dropped: return isUnclear ? .unclear : step
      }
    }
    return isUnclear ? .unclear : .goesOn
  }
}

struct FirewallChain: Sendable, Hashable {
  /// The table of the chain, such as `inet filter`; jumps stay within it.
  var table: String
  var name: String
  /// The hook that sends packets to the chain, such as `input`; `nil` if only other chains call it.
  var hook: String?
  /// Whether packets to which no rule applies are dropped.
  var drops = false
  var rules: [FirewallRule] = []

  /// Returns whether packets with this IP version enter the chain.
  func sees(_ packet: FirewallPacket) -> Bool {
    let family = table.prefix { $0 != " " }
    return family == "inet" || (family == "ip" && !packet.isV6) || (family == "ip6" && packet.isV6)
  }
}

/// A rule of a chain, as far as this version can interpret it.
struct FirewallRule: Sendable, Hashable {
  enum Verdict: Sendable, Hashable {
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
  var transports: Set<String>?
  /// The destination ports to which the rule applies; `nil` for all.
  var ports: [ClosedRange<UInt16>]?
  /// The interface, or a beginning of its name with `*` at the end; `nil` for all.
  var interface: String?
  /// The interface to which the rule does not apply, as in the kill switch of a VPN.
  var exceptInterface: String?
  /// Whether the rule applies only to established connections.
  var isOfKnownConnections = false
  /// Whether the rule has conditions that this version cannot interpret.
  var hasMore = false
  var verdict: Verdict

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
