/// The rules that `iptables-save` and `ip6tables-save` print.
enum IptablesRules {
  /// Returns the chains of the `filter` table.
  ///
  /// - Parameters:
  ///   - text: The output of the program.
  ///   - family: `ip` or `ip6`.
  /// - Returns: The chains, whose tables are named after the family.
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
