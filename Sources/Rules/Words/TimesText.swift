import LatchkeyModel

/// Times of the week or of a day as people type them.
public enum TimesText {
  /// Returns the change of a rule of times, which `none` removes; without times, no change.
  public static func changes(of key: String, to times: String?) -> [RuleRequest.Change] {
    times.map(typed).map { [.init(key, $0 == "none" ? nil : $0)] } ?? []
  }

  /// Words that people write for no times.
  private static let none: Set<String> = ["off", "no", "never"]

  /// Returns times as rules take them: in small letters, with hyphens for dashes and for “to”, with
  /// weekdays in three letters, and with the minutes of whole hours, so that `Monday 9-19` becomes
  /// `mon 9:00-19:00`; and `none` for a word such as `off`.
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
    guard (1...2).contains(ends.count), ends.allSatisfy({ $0 != nil }) else {
      return word
    }
    return ends.compactMap { $0?.word }.joined(separator: "-")
  }
}
