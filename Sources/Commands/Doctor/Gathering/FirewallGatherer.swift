import Foundation
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
    func reads(_ ending: String) -> Bool {
      let chains = [("iptables", "ip"), ("ip6tables", "ip6")].compactMap { tool, family -> [FirewallChain]? in
        guard case .output(let text) = ToolRun.run(tool + ending, []) else { return nil }
        return IptablesRules.chains(text, family: family)
      }
      facts.chains += chains.joined()
      return !chains.isEmpty
    }
    // nft does not show the older tables, but it shows those of iptables-nft.
    if !reads("-legacy-save"), unread != nil, reads("-save") { unread = nil }
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

/// The rules that `nft --json list ruleset` prints.
enum NftRules {
  /// Returns the chains of a rule set; `nil` if the text is malformed.
  static func chains(_ text: String) -> [FirewallChain]? {
    guard let top = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let objects = top["nftables"] as? [[String: Any]]
    else { return nil }
    var chains: [FirewallChain] = []
    for object in objects {
      if let chain = object["chain"] as? [String: Any], let table = table(chain), let name = chain["name"] as? String {
        chains.append(
          FirewallChain(
            table: table, name: name, hook: chain["type"] as? String == "filter" ? chain["hook"] as? String : nil,
            drops: chain["policy"] as? String == "drop"))
      }
      if let rule = object["rule"] as? [String: Any], let table = table(rule), let name = rule["chain"] as? String,
        let index = chains.firstIndex(where: { $0.table == table && $0.name == name })
      {
        chains[index].rules.append(self.rule(rule["expr"] as? [[String: Any]] ?? []))
      }
    }
    return chains
  }

  private static func table(_ object: [String: Any]) -> String? {
    guard let family = object["family"] as? String, let table = object["table"] as? String else { return nil }
    return "\(family) \(table)"
  }

  private static func rule(_ expressions: [[String: Any]]) -> FirewallRule {
    var rule = FirewallRule(verdict: .none)
    for expression in expressions {
      guard let (kind, value) = expression.first else { continue }
      switch kind {
      case "accept": rule.verdict = .accept
      case "drop", "reject": rule.verdict = .drop
      case "return": rule.verdict = .returns
      case "jump": rule.verdict = .jump(target(value))
      case "goto": rule.verdict = .goTo(target(value))
      case "counter", "log", "comment": break
      case "match": match(value as? [String: Any] ?? [:], &rule)
      default: rule.hasMore = true
      }
    }
    return rule
  }

  private static func target(_ value: Any) -> String { (value as? [String: Any])?["target"] as? String ?? "" }

  private static func match(_ match: [String: Any], _ rule: inout FirewallRule) {
    let (operation, left, right) = (match["op"] as? String ?? "==", match["left"] as? [String: Any], match["right"])
    let isEqual = operation == "==" || operation == "in"
    if let key = (left?["meta"] as? [String: Any])?["key"] as? String {
      switch (key, right as? String) {
      case ("iifname", let name?), ("oifname", let name?):
        if isEqual { rule.interface = name } else { rule.exceptInterface = name }
        return
      case ("l4proto", _) where isEqual:
        if let names = words(right) {
          rule.transports = Set(names)
          return
        }
      default: break
      }
    }
    if isEqual, let payload = left?["payload"] as? [String: Any], let transport = payload["protocol"] as? String,
      let field = payload["field"] as? String
    {
      if field == "dport", ["tcp", "udp", "th"].contains(transport), let ports = ranges(right) {
        rule.ports = ports
        if transport != "th" { rule.transports = [transport] }
        return
      }
      if ["protocol", "nexthdr"].contains(field), let names = words(right) {
        rule.transports = Set(names)
        return
      }
    }
    if let ct = left?["ct"] as? [String: Any], ct["key"] as? String == "state", let states = words(right), isEqual {
      // The first packet of a connection has the state `new`.
      if !states.contains("new") { rule.isOfKnownConnections = true }
      return
    }
    rule.hasMore = true
  }

  private static func words(_ value: Any?) -> [String]? {
    if let word = value as? String { return word.hasPrefix("@") ? nil : [word] }
    let list = (value as? [String: Any])?["set"] as? [Any] ?? value as? [Any]
    let words = list?.compactMap { $0 as? String }
    return words?.count == list?.count ? words : nil
  }

  private static func ranges(_ value: Any?) -> [ClosedRange<UInt16>]? {
    if let port = (value as? NSNumber).flatMap({ UInt16(exactly: $0) }) { return [port...port] }
    guard let object = value as? [String: Any] else { return nil }
    if let bounds = object["range"] as? [NSNumber], bounds.count == 2, let low = UInt16(exactly: bounds[0]),
      let high = UInt16(exactly: bounds[1]), low <= high
    {
      return [low...high]
    }
    guard let set = object["set"] as? [Any] else { return nil }
    let parts = set.compactMap { ranges($0) }
    return parts.count == set.count ? parts.flatMap { $0 } : nil
  }
}

/// The rules that `iptables-save` and `ip6tables-save` print.
enum IptablesRules {
  /// Returns the chains of the `filter` table, with a table named after the family, `ip` or `ip6`.
  static func chains(_ text: String, family: String) -> [FirewallChain] {
    var chains: [FirewallChain] = []
    var table = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("*") { table = String(line.dropFirst()) }
      guard table == "filter" else { continue }
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix(":"), words.count > 1 {
        let name = String(words[0].dropFirst())
        let isBase = ["INPUT", "OUTPUT", "FORWARD"].contains(name)
        chains.append(
          FirewallChain(
            table: "\(family) iptables", name: name, hook: isBase ? name.lowercased() : nil, drops: words[1] == "DROP"))
      }
      if words.first == "-A", words.count > 2, let index = chains.firstIndex(where: { $0.name == words[1] }) {
        chains[index].rules.append(rule(Array(words.dropFirst(2))))
      }
    }
    return chains
  }

  private static func rule(_ words: [String]) -> FirewallRule {
    var rule = FirewallRule(verdict: .none)
    var isNot = false
    var index = 0
    func value() -> String { index + 1 < words.count ? words[index + 1] : "" }
    while index < words.count {
      var taken = 2
      switch words[index] {
      case "!":
        isNot = true
        index += 1
        continue
      case "-p" where !isNot: rule.transports = [value()]
      case "-i", "-o":
        let name = value().hasSuffix("+") ? value().dropLast() + "*" : value()
        if isNot { rule.exceptInterface = name } else { rule.interface = name }
      case "--dport" where !isNot, "--dports" where !isNot: rule.ports = ranges(value())
      case "--state" where !isNot, "--ctstate" where !isNot:
        if !value().split(separator: ",").contains("NEW") { rule.isOfKnownConnections = true }
      case "-m":
        if !["tcp", "udp", "multiport", "state", "conntrack", "comment"].contains(value()) { rule.hasMore = true }
      case "--comment":
        // A comment with spaces is in quotation marks.
        if value().hasPrefix("\"") {
          while index + taken <= words.count, !words[index + taken - 1].hasSuffix("\"") { taken += 1 }
        }
      case "-j": rule.verdict = verdict(value())
      case "-g": rule.verdict = .goTo(value())
      case "--reject-with", "--log-prefix", "--log-level": break
      default:
        rule.hasMore = true
        taken = 1
      }
      isNot = false
      index += taken
    }
    return rule
  }

  private static func verdict(_ target: String) -> FirewallRule.Verdict {
    switch target {
    case "ACCEPT": .accept
    case "DROP", "REJECT": .drop
    case "RETURN": .returns
    case "LOG", "NFLOG", "MARK", "CONNMARK": .none
    default: .jump(target)
    }
  }

  private static func ranges(_ text: String) -> [ClosedRange<UInt16>]? {
    let parts = text.split(separator: ",").compactMap { part -> ClosedRange<UInt16>? in
      let bounds = part.split(separator: ":").compactMap { UInt16($0) }
      guard let low = bounds.first, let high = bounds.last, low <= high else { return nil }
      return low...high
    }
    return parts.isEmpty ? nil : parts
  }
}
