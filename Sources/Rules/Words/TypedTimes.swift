import LatchkeyModel

/// Times of the week or of a day as people type them.
public enum TimesText {
  /// Returns the change of a rule of times, which `none` removes; without times, no change.
  public static func changes(of key: String, to times: String?) -> [RuleRequest.Change] {
    times.map(typed).map { [.init(key, $0 == "none" ? nil : $0)] } ?? []
  }

  /// Words that people write for no times.
  private static let none: Set<String> = ["off", "no", "never"]

  /// Returns typed times in a form that rules take.
  ///
  /// Letters become small, dashes and “to” become hyphens, weekdays get three letters, and whole
  /// hours get minutes: `Monday 9-19` becomes `mon 9:00-19:00`. A word such as `off` becomes
  /// `none`.
  public static func typed(_ text: String) -> String {
    let text = text.lowercased()
    if none.contains(text) { return "none" }
    return hours(text.replacing(#/ ?[–-] ?/#, with: "-").replacing(#/ (?:to|till|until) /#, with: "-"))
      .split(separator: " ", omittingEmptySubsequences: false).map { days(String($0)) }.joined(separator: " ")
  }

  /// Returns the reason why times of the week are refused; `nil` for times that are taken.
  public static func fault(inWeek times: String) -> RuleFault? {
    do { _ = try WeekWindows(typed: times) } catch { return error }
    return nil
  }

  /// Returns the reason why times of one day are refused; `nil` for times that are taken.
  public static func fault(inDay times: String) -> RuleFault? {
    do { _ = try DayWindows(typed: times) } catch { return error }
    return nil
  }

  /// Returns a text in which each window has minutes: `9-19`, `9.30-19` and `9:30-19` do not.
  private static func hours(_ text: String) -> String {
    text.replacing(/(^|[ ,])(\d{1,2})(?:[:.](\d\d))?-(\d{1,2})(?:[:.](\d\d))?(?=$|[ ,])/) { match in
      let (before, start, first, end, second) = (
        match.output.1, match.output.2, match.output.3 ?? "00", match.output.4, match.output.5 ?? "00"
      )
      return "\(before)\(start):\(first)-\(end):\(second)"
    }
  }

  /// Returns a word of weekdays in three letters; any other word as it is.
  private static func days(_ word: String) -> String {
    switch word {
    case "weekday", "weekdays", "workdays": return "mon-fri"
    case "weekend", "weekends": return "sat-sun"
    default: break
    }
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { end in
      Weekday.allCases.first { end == "\($0)" || end == "\($0)s" }
    }
    guard (1...2).contains(ends.count), ends.allSatisfy({ $0 != nil }) else { return word }
    return ends.compactMap { $0?.word }.joined(separator: "-")
  }
}

extension DayLimits {
  /// A change of a limit a day: of every day, or of some weekdays.
  ///
  /// Each weekday with a limit of its own is a rule of its own, so that two people can change
  /// different days at once.
  public struct Change: Hashable, Sendable {
    public static let weekend: [Weekday] = [.saturday, .sunday]
    public static let weekdays = Weekday.allCases.filter { !weekend.contains($0) }

    /// The limit of every day (no weekday) or of each weekday that is named; `nil` for none.
    public let limits: [Weekday?: DayLimit?]

    public init(_ days: [Weekday], _ limit: DayLimit?) {
      limits = Dictionary(days.map { ($0, limit) }) { first, _ in first }
    }

    /// Reads limits as a parent gives them: `2h`, `none`, or `mon-thu 2h, fri-sun 3h`.
    ///
    /// Those of an application or a group may have hours, such as `1h within 16:00-20:00`.
    public init(given text: String, canHaveHours: Bool = false) throws(RuleFault) {
      let read = canHaveHours ? DayLimits.givenWithHours : DayLimits.given
      let first = text.split(separator: " ").first ?? ""
      let isOfEveryDay = !text.contains(",") && Self.days(first) == nil && DayLimits.parts(text) != nil
      guard text.contains(" "), SpanReader.minutes(text) == nil, !isOfEveryDay else {
        limits = [nil: try read(text)]
        return
      }
      var limits: [Weekday?: DayLimit?] = [:]
      for item in text.split(separator: ",", omittingEmptySubsequences: false) {
        let words = item.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let days = Self.days(words[0]) else { throw .byWeekday(canHaveHours) }
        let limit: DayLimit?
        do { limit = try read(String(words[1])) } catch {
          throw DayLimits.parts(text) == nil ? .byWeekday(canHaveHours) : error
        }
        for day in days where limits.updateValue(limit, forKey: day) != nil { throw .byWeekday(canHaveHours) }
      }
      self.limits = limits
    }

    /// Returns the changes of rules; a limit of every day also removes those of `replaced` days.
    public func changes(of limit: String, replacing replaced: [Weekday]) -> [RuleRequest.Change] {
      if let everyDay = limits[nil] {
        return [.init(limit, DayLimits.text(of: everyDay))] + Self.removal(of: limit, on: replaced)
      }
      return Weekday.allCases.compactMap { day in
        limits[day].map { .init("\(limit)/\(day.word)", DayLimits.text(of: $0)) }
      }
    }

    /// Returns the changes after which weekdays have the limit of every day again.
    public static func removal(of limit: String, on days: [Weekday]) -> [RuleRequest.Change] {
      days.map { .init("\(limit)/\($0.word)", nil) }
    }

    /// Returns the days of a word such as `mon`, `fri-sun` or `weekend`; `nil` if it names none.
    private static func days(_ word: some StringProtocol) -> [Weekday]? {
      switch word.lowercased() {
      case "weekday", "weekdays", "workdays": return weekdays
      case "weekend", "weekends": return weekend
      default: break
      }
      let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { end in
        Weekday.allCases.first { end.lowercased().hasPrefix($0.word) && end.allSatisfy(\.isLetter) }
      }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
        return nil
      }
      return Weekday.allCases.filter { (first...last).contains($0) }
    }
  }
}

extension RuleFault {
  fileprivate static func byWeekday(_ canHaveHours: Bool) -> RuleFault {
    canHaveHours
      ? RuleFault(
        """
        A limit a day is 0 to 24 hours, such as 2h or 1h30m, or within some hours, such as "1h within 16:00-20:00", or by \
        weekday, such as "mon-thu 1h, fri 2h", or none.
        """)
      : RuleFault(
        """
        A limit a day is 0 to 24 hours, such as 2h or 1h30m, or by weekday, such as "mon-thu 1h, fri 2h", or none.
        """)
  }
}
