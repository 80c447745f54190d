/// One chain of the packet filter.
public struct FirewallChain: Sendable, Hashable {
  /// Which table it is in, such as `inet filter`; jumps stay in it.
  public var table: String
  public var name: String
  /// Where packets come into it, such as `input`; nil for one that others jump to.
  public var hook: String?
  /// Whether what no rule decides is dropped.
  public var drops: Bool
  public var rules: [FirewallRule]

  public init(table: String, name: String, hook: String? = nil, drops: Bool = false, rules: [FirewallRule] = []) {
    self.table = table
    self.name = name
    self.hook = hook
    self.drops = drops
    self.rules = rules
  }

  /// The IP versions that it sees.
  func sees(_ packet: FirewallPacket) -> Bool {
    let family = table.prefix { $0 != " " }
    return family == "inet" || (family == "ip" && !packet.isV6) || (family == "ip6" && packet.isV6)
  }
}
