import LatchkeyModel

/// The key of a rule that this version knows: a row of the table, and the subject of the rule.
///
/// Spec: Protocol/11-rules.md §1.
public struct RuleKey: Hashable, Sendable {
  /// The subject of a rule, with its row.
  enum Place: Hashable, Sendable {
    case child(RuleRow<RuleSet>)
    case app(AppID, RuleRow<RuleSet.App>)
    case group(GroupName, RuleRow<RuleSet.Group>)
    case category(AppCategory, RuleRow<RuleSet.Category>)
    case days(DayRange, RuleRow<RuleSet.Exceptions>)
    case grant(FamilyDay, CommandID, RuleRow<RuleSet.Granted>)
  }

  let place: Place
  /// The weekday on which it replaces the rule of every day; `nil` for every day.
  public let weekday: Weekday?

  init(_ place: Place, on weekday: Weekday? = nil) { (self.place, self.weekday) = (place, weekday) }

  /// Creates the key that a register's key stands for; `nil` if this version does not know it.
  public init?(_ key: RegisterKey) {
    let parts = key.segments.map(Self.unescaped)
    if let last = parts.last, let day = Weekday(word: last) {
      guard parts.count > 1, let place = Self.place(of: parts.dropLast()), Self(place).entry.hasWeekdays else {
        return nil
      }
      self.init(place, on: day)
    } else {
      guard let place = Self.place(of: parts) else { return nil }
      self.init(place)
    }
    guard text.utf8.elementsEqual(key.text.utf8) else { return nil }
  }

  private static func place(of parts: [String]) -> Place? {
    switch (parts[0], parts.count) {
    case ("app", 3): AppID(parts[1]).flatMap { id in RuleSet.App.table[parts[2]].map { .app(id, $0) } }
    case ("group", 3): GroupName(parts[1]).flatMap { name in RuleSet.Group.table[parts[2]].map { .group(name, $0) } }
    case ("category", 3):
      AppCategory(rawValue: parts[1]).flatMap { category in
        RuleSet.Category.table[parts[2]].map { .category(category, $0) }
      }
    case ("today", 3), ("days", 3):
      DayRange(parts[1]).flatMap { days in RuleSet.Exceptions.table[parts[2]].map { .days(days, $0) } }
    case ("today", 4):
      FamilyDay(parts[1]).flatMap { day in
        CommandID(parts[3]).flatMap { id in RuleSet.Granted.table["\(parts[2])/ID"].map { .grant(day, id, $0) } }
      }
    default: RuleSet.table[parts.joined(separator: "/")].map { .child($0) }
    }
  }

  /// The table's entry for its kind.
  public var entry: RuleEntry {
    switch place {
    case .child(let row): row.entry
    case .app(_, let row): row.entry
    case .group(_, let row): row.entry
    case .category(_, let row): row.entry
    case .days(_, let row): row.entry
    case .grant(_, _, let row): row.entry
    }
  }

  public var text: String {
    let base =
      switch place {
      case .child(let row): row.entry.pattern
      case .app(let id, let row): "app/\(Self.escaped(id.text))/\(row.end)"
      case .group(let name, let row): "group/\(Self.escaped(name.text))/\(row.end)"
      case .category(let category, let row): "category/\(category.rawValue)/\(row.end)"
      case .days(let days, let row): "\(days.first == days.last ? "today" : "days")/\(days)/\(row.end)"
      case .grant(let day, let id, let row): "today/\(day)/\(row.end.dropLast(2))\(id)"
      }
    return weekday.map { "\(base)/\($0.word)" } ?? base
  }

  /// The register's key; `nil` if an application's ID has so many slashes that it is too long.
  public var registerKey: RegisterKey? { RegisterKey(text) }

  public var everyDay: RuleKey { RuleKey(place) }

  public func on(_ day: Weekday) -> RuleKey { RuleKey(place, on: day) }

  public var application: AppID? { if case .app(let id, _) = place { id } else { nil } }

  public var group: GroupName? { if case .group(let name, _) = place { name } else { nil } }

  /// The days of the family for which it is an exception; `nil` for any other rule.
  ///
  /// It is never inlined: in a release build, the compiler of Swift 6.3.1 fails on some callers
  /// otherwise.
  public var days: DayRange? {
    @inline(never) get {
      switch place {
      case .days(let days, _): days
      case .grant(let day, _, _): DayRange(day)
      default: nil
      }
    }
  }

  /// Returns whether it is an exception for days that are over.
  public func isOver(on day: FamilyDay) -> Bool { days.map { $0.last < day } ?? false }

  /// Returns whether it is an exception that is over at an instant in Unix milliseconds.
  ///
  /// Times of its last day may end on the next one.
  public func isOver(at instant: Int64, value: String, _ boundary: DayBoundary) -> Bool {
    guard let last = days?.last, isOver(on: boundary.day(containing: instant)) else { return false }
    let timed = [DayRule.bedtime.entry, DayRule.school.entry, DayRule.rewardTimes.entry]
    guard timed.contains(entry), let windows = try? DayWindows(typed: value) else { return true }
    let times = Intervals(nil, exceptions: { $0 == last ? windows : nil }, around: last, boundary)
    return times.end(at: instant) == nil
  }

  /// A Boolean value that indicates whether its application stands for many programs, so that the
  /// rule cannot be in force.
  public var isOfMany: Bool { application?.isOfMany == true }

  /// Returns the change that sets the rule to a typed text or, without one, removes it.
  public func change(_ text: String?) -> RuleRequest.Change { RuleRequest.Change(self.text, text) }

  /// Returns whether a register of this key has a meaning in a zone.
  ///
  /// In the family's zone, a rule applies to every child that has no register of its own under that
  /// key.
  public func belongs(in zone: Zone) -> Bool {
    switch (zone, entry.zones) {
    case (.family, .both), (.family, .family), (.child, .both), (.child, .child): true
    default: false
    }
  }

  func set(_ text: String, in rules: inout RuleSet) throws(RuleFault) {
    switch place {
    case .child(let row): try row.set(&rules, text, weekday)
    case .app(let id, let row): try row.set(&rules.apps[id], text, weekday)
    case .group(let name, let row): try row.set(&rules.groups[name], text, weekday)
    case .category(let category, let row): try row.set(&rules.categories[category], text, weekday)
    case .days(let days, let row):
      var exceptions = RuleSet.Exceptions()
      try row.set(&exceptions, text, weekday)
      rules.exceptions.append(.init(days: days, rules: exceptions))
    case .grant(let day, let id, let row):
      var granted = RuleSet.Granted()
      try row.set(&granted, text, weekday)
      if let grant = granted.grant { rules.grants[day, default: [:]][id] = grant }
      if let deduction = granted.deduction { rules.deductions[day, default: [:]][id] = deduction }
    }
  }

  /// Returns the value among the rules of a child, as it is written, of all weekdays.
  func shown(in rules: RuleSet) -> String? {
    switch place {
    case .child(let row): row.shown(rules)
    case .app(let id, let row): rules.apps[id].flatMap(row.shown)
    case .group(let name, let row): rules.groups[name].flatMap(row.shown)
    case .category(let category, let row): rules.categories[category].flatMap(row.shown)
    case .days(let days, let row):
      rules.exceptions.last { $0.days == days && row.shown($0.rules) != nil }.flatMap { row.shown($0.rules) }
    case .grant(let day, let id, let row):
      row.shown(RuleSet.Granted(grant: rules.grants[day]?[id], deduction: rules.deductions[day]?[id]))
    }
  }

  /// Returns a segment as it is written in a key: `%25` for `%`, and `%2F` for `/`.
  fileprivate static func escaped(_ segment: String) -> String {
    var bytes: [UInt8] = []
    for byte in segment.utf8 {
      switch byte {
      case UInt8(ascii: "%"): bytes += Array("%25".utf8)
      case UInt8(ascii: "/"): bytes += Array("%2F".utf8)
      default: bytes.append(byte)
      }
    }
    return bytes.count == segment.utf8.count ? segment : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text of a segment; a segment that is not in its one form leads to another key.
  private static func unescaped(_ segment: Substring) -> String {
    guard segment.utf8.contains(UInt8(ascii: "%")) else { return String(segment) }
    var bytes: [UInt8] = []
    var rest = segment.utf8[...]
    while let byte = rest.popFirst() {
      let code = rest.prefix(2)
      if byte == UInt8(ascii: "%"), code.elementsEqual("25".utf8) || code.elementsEqual("2F".utf8) {
        bytes.append(code.last == UInt8(ascii: "5") ? UInt8(ascii: "%") : UInt8(ascii: "/"))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RuleRow {
  /// Sets a value in rules that may not be there yet; an unreadable value changes nothing.
  fileprivate func set(_ part: inout Part?, _ text: String, _ weekday: Weekday?) throws(RuleFault) {
    var changed = part ?? Part()
    try set(&changed, text, weekday)
    part = changed
  }
}

extension RuleRequest {
  /// Returns the request with the whole keys of an application's rules.
  public func rules(of app: AppID) -> RuleRequest {
    RuleRequest(changes.map { Change("app/\(RuleKey.escaped(app.text))/\($0.key)", $0.value) })
  }

  /// Returns the request with the whole keys of a group's rules, and its applications.
  public func ofGroup(_ members: [AppID]) -> RuleRequest {
    guard let group else { return self }
    let whole = members.isEmpty ? changes : [.init(GroupRule.members.end, GroupRule.members.text(members))] + changes
    return RuleRequest(whole.map { Change("group/\(RuleKey.escaped(group))/\($0.key)", $0.value) })
  }
}
