import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyRules

/// The times and limits in force for a child, for the page that shows and changes them.
struct ChildPlan: Sendable {
  let day: ChildToday
  let rules: ChildRules
  let machines: [PeerStatus]
  /// The rules of the listings, read as one set.
  let plan: RuleSet

  static func read(of child: String, at node: any NodeInterface) async throws -> ChildPlan {
    let day = try await node.ask(Endpoints.getToday, child)
    let rules = try await node.ask(Endpoints.getRules, child)
    let peers = try await node.ask(Endpoints.getStatus).peers
    return ChildPlan(day, rules, peers)
  }

  init(_ day: ChildToday, _ rules: ChildRules, _ peers: [PeerStatus]) {
    (self.day, self.rules) = (day, rules)
    machines = peers.filter { rules.child.machines.contains($0.device.name) }
    // A listing has the time at which a rule was set, but not the device. The device matters only
    // for ties.
    let author = DeviceID(bytes: [UInt8](repeating: 0, count: DeviceID.size))
    let child = rules.child.childID
    let registers = (rules.rules + rules.family).filter { $0.notInForce == nil }.compactMap { rule in
      author.map { author in
        Register(
          rule.isFamilys ? .family : .child(child), rule.key, rule.value,
          modified: HybridTimestamp(wall: max(0, rule.setAt), counter: 0, author: author))
      }
    }
    plan = RuleSet.read(registers, child: child).rules
  }

  var child: String { day.childID.description }
  var name: String { day.name.text }
  var today: FamilyDay { FamilyDay(day.day) ?? .first }

  /// The times of today's bedtime, by the plan or what holds today instead.
  var bedtimeToday: [ClockWindow] {
    let exception = plan.exceptions.last { $0.days.contains(today) && $0.rules.bedtime != nil }?.rules.bedtime
    return exception?.windows ?? plan.bedtime?[today.weekday] ?? []
  }

  var boundary: DayBoundary? {
    let hour = rules.family.first { RuleKey($0.key) == ChildRule.dayStart.key }.flatMap { Int($0.value) } ?? 0
    return try? DayBoundary(zone: day.zone, dayStartHour: hour)
  }

  /// Returns the rules that are set for a rule of the page, including those of single days.
  func listings(of rule: PlanRule) -> [RuleListing] {
    (rules.rules + rules.family).filter { listing in
      let entry = RuleKey(listing.key)?.entry
      return entry != nil && (entry == rule.key.entry || entry == rule.entryOfDays)
    }
  }

  /// Returns a hash of rules, which changes if the rules change after a page was made.
  static func version(of listings: [RuleListing]) -> String {
    let lines = listings.map { "\($0.isFamilys) \($0.key) \($0.setAt) \($0.value)" }.sorted()
    return Hexadecimal.encode(Array(SHA256.hash([UInt8](lines.joined(separator: "\n").utf8)).prefix(8)))
  }

  func version(of rule: PlanRule) -> String { Self.version(of: listings(of: rule)) }

  /// Returns the child's own rules that were seen when a rule of the page is changed, for the node
  /// to compare: all keys that the form can change, set or not, and then those that are set for
  /// single days.
  ///
  /// Keys that are not set count as well, because another form that was sent at the same time may
  /// set them.
  func seen(_ rule: PlanRule, _ changes: [RuleRequest.Change]) -> [RuleRequest.Change] {
    let others = listings(of: rule).filter { !$0.isFamilys }.map(\.key.text).sorted()
    return seen(changes.map(\.key) + rule.keys.map(\.text) + others)
  }

  /// Returns the child's own values that were seen under some keys, each key once.
  func seen(_ keys: [String]) -> [RuleRequest.Change] {
    var known: Set<String> = []
    return keys.filter { known.insert($0).inserted }.prefix(RuleRequest.mostSeen).map { .init($0, own($0)?.value) }
  }

  func own(_ key: String) -> RuleListing? { rules.rules.first { $0.key.text == key } }

  /// Returns the rule in force under a key: the child's or the family's.
  func inForce(_ key: RuleKey) -> RuleListing? {
    own(key.text) ?? rules.family.first { $0.key.text == key.text && $0.notInForce == nil }
  }

  func words(_ rule: PlanRule) -> Phrase.Argument? {
    rule == .daily ? plan.dailyLimit.map { .phrase($0.phrase) } : inForce(rule.key)?.valueArgument
  }

  /// Returns the text that a person would type for a rule of the plan.
  ///
  /// For breaks, it also returns their length.
  func typed(_ rule: PlanRule) -> (value: String, length: String) {
    switch rule {
    case .daily: return (plan.dailyLimit?.text ?? "", "")
    case .breaks: return (plan.breaks.map { "\($0.after)min" } ?? "", plan.breaks.map { "\($0.length)min" } ?? "")
    case .weekly, .carryOver: return (inForce(rule.key).map { "\($0.value)min" } ?? "", "")
    case .bedtime, .school, .reward: return (inForce(rule.key)?.value ?? "", "")
    }
  }

  /// Returns the same in the words of the page's language.
  func shown(_ rule: PlanRule) -> (value: Phrase, length: Phrase) {
    let typed = typed(rule)
    switch rule {
    case .daily: return (ShownInput.limits(typed.value), Phrase(verbatim: ""))
    case .bedtime, .school, .reward: return (ShownInput.windows(typed.value), Phrase(verbatim: ""))
    case .weekly, .breaks, .carryOver: return (ShownInput.span(typed.value), ShownInput.span(typed.length))
    }
  }

  /// The hours of applications and groups, by the child's own rules or else the family's.
  var hours: [PlanChart.Hours] {
    let keys = Set((rules.rules + rules.family).map(\.key.text))
    return keys.sorted().compactMap { text in
      guard let key = RegisterKey(text).flatMap({ RuleKey($0) }),
        key.entry == AppRule.hours.entry || key.entry == GroupRule.hours.entry,
        let listing = inForce(key), listing.notInForce == nil
      else { return nil }
      do throws(RuleFault) {
        return PlanChart.Hours(name: listing.subjectArgument, windows: try WeekWindows(typed: listing.value))
      } catch { return nil }
    }
  }

  /// The rules that apply on single days instead of the plan, or in addition to it.
  var exceptions: [RuleListing] {
    (rules.rules + rules.family).filter { listing in
      guard let key = RuleKey(listing.key) else { return false }
      return key.days != nil && key.entry != DayRule.name.entry
    }.sorted { left, right in
      let (first, second) = (RuleKey(left.key)?.days?.first ?? .first, RuleKey(right.key)?.days?.first ?? .first)
      return (first, left.key) < (second, right.key)
    }
  }

  func name(of days: DayRange) -> String? {
    let key = DayRule.name.key(on: days)
    return inForce(key)?.value
  }
}

/// A rule about times or limits that a parent changes on a page.
enum PlanRule: String, CaseIterable, Hashable, Sendable {
  case bedtime, school, reward, daily, weekly, breaks, carryOver

  var key: RuleKey {
    switch self {
    case .bedtime: ChildRule.bedtime.key
    case .school: ChildRule.school.key
    case .reward: ChildRule.rewardTimes.key
    case .daily: ChildRule.dailyLimit.key
    case .weekly: ChildRule.weeklyLimit.key
    case .breaks: ChildRule.breaks.key
    case .carryOver: ChildRule.carryOver.key
    }
  }

  /// The keys under which the rule of every day can be set: its own key, and those of weekdays.
  var keys: [RuleKey] { self == .daily ? [key] + Weekday.allCases.map { key.on($0) } : [key] }

  /// Returns the key of the rule for some days instead; `nil` if it cannot be set for single days.
  func key(on days: DayRange) -> RuleKey? {
    switch self {
    case .bedtime: DayRule.bedtime.key(on: days)
    case .school: DayRule.school.key(on: days)
    case .reward: DayRule.rewardTimes.key(on: days)
    case .daily: DayRule.limit.key(on: days)
    case .weekly, .breaks, .carryOver: nil
    }
  }

  /// The entry in the table of rules of the rule for some days; `nil` if there is none.
  var entryOfDays: RuleEntry? { key(on: DayRange(.first))?.entry }

  /// A Boolean value that indicates whether the rule's value is times and not a length.
  var isOfTimes: Bool { [.bedtime, .school, .reward].contains(self) }

  var title: Phrase {
    switch self {
    case .bedtime: Phrase("Bedtime")
    case .school: Phrase("School time")
    case .reward: Phrase("Reward times")
    case .daily: Phrase("Screen time a day")
    case .weekly: Phrase("Screen time a week")
    case .breaks: Phrase("Breaks")
    case .carryOver: Phrase("Unused time for the next day")
    }
  }

  var meaning: Phrase {
    switch self {
    case .bedtime: Phrase("Only what is always allowed is open.")
    case .school: Phrase("Only learning is open, and what is always allowed.")
    case .reward: Phrase("Rewards are open only then. Without such times, they are open at any time.")
    case .daily: Phrase("The most screen time on a day.")
    case .weekly: Phrase("The most screen time from Monday to Sunday.")
    case .breaks: Phrase("After so much screen time without a pause, only what is always allowed is open for a while.")
    case .carryOver: Phrase("The most unused screen time that goes over to the next day of the week.")
    }
  }

  var label: Phrase {
    switch self {
    case .bedtime, .school, .reward: Phrase("Times")
    case .daily: Phrase("Time a day")
    case .weekly: Phrase("Time a week")
    case .breaks: Phrase("A break is due after")
    case .carryOver: Phrase("At most")
    }
  }

  var hint: Phrase {
    switch self {
    case .bedtime:
      Phrase("Such as 20:00-07:00, or mon-fri 20:00-07:00, sat-sun 21:00-08:00. Write none for no bedtime.")
    case .school: Phrase("Such as mon-fri 8:00-13:00. Write none for no school time.")
    case .reward: Phrase("Such as mon-fri 16:00-18:00, sat-sun 10:00-18:00. Write none for any time.")
    case .daily: Phrase("Such as 2h, or mon-fri 1h30m, sat-sun 3h, or a number of minutes. Write none for no limit.")
    case .weekly: Phrase("Such as 10h, or a number of minutes. Write none for no limit.")
    case .breaks: Phrase("Such as 45min, and 10min for the length. Write none for no breaks.")
    case .carryOver: Phrase("Such as 30min. Write none if nothing goes over.")
    }
  }
}
