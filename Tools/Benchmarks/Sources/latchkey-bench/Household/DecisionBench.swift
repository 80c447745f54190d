import LatchkeyModel
import LatchkeyRules

/// Decisions for two children at every minute, while a reward of one of them runs whenever it may.
struct DecisionBench {
  let family: BenchFamily
  let days: Int

  func row(_ peers: PythonPeers) throws -> BenchRow {
    let seconds = try ProcessCost.ofThisProcess { for _ in 0..<2 { decide() } }
    let peer = try peers.localTimes(from: BenchFamily.start, minutes: days * 1_440)
    return BenchRow(
      "decisions for two children, every minute of \(days) days", seconds, "s", peer: peer, target: "seconds",
      met: seconds < 60 * Double(days) / 365)
  }

  /// Decides for two children at every minute of the days.
  func decide() {
    let (rules, game) = (family.rules, Subject.app(BenchFamily.apps[5]))
    var use: [FamilyDay: DayUse] = [:]
    var day = rules.boundary.day(containing: BenchFamily.start)
    var plan: DayPlan?
    for minute in 0..<(days * 1_440) {
      let passed = Int64(minute) * 60_000
      var situation = Situation(
        boot: BootInstant(milliseconds: passed), time: BenchFamily.start + passed, day: day, use: use,
        spendable: 100_000, running: [1_000: [game]])
      if plan?.serves(situation) != true {
        day = rules.boundary.day(containing: situation.time)
        situation.day = day
        use = use.filter { $0.key >= day.advanced(byDays: -8) }
        plan = DayPlan(rules, for: situation)
      }
      guard let decided = plan?.decide(situation), decided.closures.isEmpty else { continue }
      use[day, default: DayUse()].screen += 60_000
      use[day, default: DayUse()].categories[.reward, default: 0] += 60_000
      use[day, default: DayUse()].apps[BenchFamily.apps[5], default: 0] += 60_000
    }
  }
}
