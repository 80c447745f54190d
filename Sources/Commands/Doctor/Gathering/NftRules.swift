import Foundation

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
