import Glibc
import LatchkeySystem

/// The reading of the machine's packet filter, with the tools that are installed.
enum FirewallGatherer {
  static func gather() -> FirewallFacts {
    var facts = FirewallFacts(keeper: keeper())
    var unread: FirewallFacts.Unread?
    switch ToolRun.run("nft", ["--json", "list", "ruleset"]) {
    case .output(let text):
      // nft may print nothing for an empty rule set.
      guard let chains = text.isEmpty ? [] : NftRules.chains(text) else {
        unread = .notUnderstood
        break
      }
      facts.chains += chains
    case .absent: unread = .noTool
    case .failed(let reason): unread = geteuid() == 0 ? .failed(reason) : .needsRoot
    }
    // nft does not show the older tables, but it shows those of iptables-nft.
    var readsOlder = false
    for (tool, family) in [("iptables-legacy-save", "ip"), ("ip6tables-legacy-save", "ip6")] {
      if case .output(let text) = ToolRun.run(tool, []) {
        facts.chains += IptablesRules.chains(text, family: family)
        readsOlder = true
      }
    }
    if unread != nil, !readsOlder {
      for (tool, family) in [("iptables-save", "ip"), ("ip6tables-save", "ip6")] {
        if case .output(let text) = ToolRun.run(tool, []) {
          facts.chains += IptablesRules.chains(text, family: family)
          unread = nil
        }
      }
    }
    // Without a packet filter in the kernel there are no rules to read.
    facts.unread = facts.chains.isEmpty ? unread : nil
    return facts
  }

  private static func keeper() -> FirewallFacts.Keeper? {
    if let text = ProcFile.text("/etc/ufw/ufw.conf", most: 65_536),
      text.split(separator: "\n").contains(where: { $0.lowercased().hasPrefix("enabled=yes") })
    {
      return .ufw
    }
    if case .output(let text) = ToolRun.run("firewall-cmd", ["--state"]), text.hasPrefix("running") {
      return .firewalld
    }
    return nil
  }
}
