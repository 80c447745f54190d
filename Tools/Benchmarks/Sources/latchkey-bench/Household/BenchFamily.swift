import LatchkeyModel
import LatchkeyRules

/// A family whose child has a rule of nearly every kind.
struct BenchFamily {
  /// The applications: four for learning, four rewards, two neutral ones.
  static let apps = (0..<10).compactMap { AppID("org.example.app\($0)") }
  /// The first instant of 2026 in Unix milliseconds.
  static let start: Int64 = 1_767_225_600_000

  let rules: RuleSet

  init() {
    let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    var typed: [(zone: Zone, key: String, value: String)] = [
      (.family, "family/zone", "Europe/Berlin"), (.family, "family/dayStart", "4"), (.family, "mode", "points"),
      (.child(child), "limits/daily", "120"), (.child(child), "limits/daily/sat", "240"),
      (.child(child), "limits/daily/sun", "240"), (.child(child), "limits/weekly", "1000"),
      (.child(child), "category/reward/limit", "60"), (.child(child), "category/reward/weekly", "300"),
      (.child(child), "schedule/bedtime", "20:00-07:00"), (.child(child), "schedule/school", "mon-fri 08:00-13:00"),
      (.child(child), "schedule/rewardTimes", "14:00-19:00"),
    ]
    for (number, app) in Self.apps.enumerated() {
      let category = number < 4 ? "learning" : number < 8 ? "reward" : "neutral"
      typed.append((.child(child), "app/\(app)/category", category))
      if category == "reward" { typed.append((.child(child), "app/\(app)/rate", "2000")) }
    }
    let registers = typed.compactMap { rule in
      RegisterKey(rule.key).map { Register(rule.zone, $0, rule.value, modified: .never) }
    }
    let (rules, notInForce) = RuleSet.read(registers, child: child)
    precondition(notInForce.isEmpty && registers.count == typed.count, "a rule of the benchmark is not in force")
    self.rules = rules
  }
}
