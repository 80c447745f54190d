/// The host's packet filter.
public struct FirewallFacts: Sendable, Hashable {
  /// A program that keeps the rules, and that a person changes them with.
  public enum Keeper: String, Sendable, Hashable {
    case ufw
    case firewalld
  }

  /// Chains that packets pass, of every tool whose rules could be read.
  public var chains: [FirewallChain]
  public var keeper: Keeper?
  /// Why rules could not be read, as a clause; nil when they were, or none can be there.
  public var unread: String?

  public init(chains: [FirewallChain] = [], keeper: Keeper? = nil, unread: String? = nil) {
    self.chains = chains
    self.keeper = keeper
    self.unread = unread
  }
}
