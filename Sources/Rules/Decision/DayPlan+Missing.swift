import LatchkeyModel

extension DayPlan {
  /// Returns the fewest minutes of time for all that would open the limits which close a program;
  /// `nil` if none closes it, or if the most that can be granted at once would not open them.
  public func missingMinutes(for subject: Subject, in situation: Situation) -> Int? {
    guard let id = CommandID(bytes: [UInt8](repeating: 0, count: 16)) else { return nil }
    func isClosed(with minutes: Int) -> Bool {
      var rules = rules
      if minutes > 0 { rules.grants[day, default: [:]][id] = Grant(minutes: minutes, scope: .all) }
      return DayPlan(rules, day: day, date: date).explain(subject, in: situation).considered.contains {
        guard case .closed = $0.standing else { return false }
        return $0.reason.isLimit
      }
    }
    var (closed, open) = (0, 1_440)
    guard isClosed(with: closed), !isClosed(with: open) else { return nil }
    while open - closed > 1 {
      let middle = (closed + open) / 2
      if isClosed(with: middle) { closed = middle } else { open = middle }
    }
    return open
  }
}

extension Reason {
  /// A Boolean value that indicates whether it is a limit, which granted time raises.
  fileprivate var isLimit: Bool {
    switch self {
    case .appLimit, .groupLimit, .categoryLimit, .dailyLimit, .groupWeekly, .categoryWeekly, .weeklyLimit: true
    default: false
    }
  }
}
