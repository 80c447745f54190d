import LatchkeyModel

/// A part of the day, such as `20:00-07:00`.
public struct ClockWindow: Hashable, Sendable, Comparable {
  /// The minute after midnight at which it begins, 0 to 1,439.
  public let start: Int
  /// The minute after midnight at which it ends, 1 to 1,440; on the next date unless later.
  public let end: Int

  /// The length in minutes by the clock, 1 to 1,440.
  public var length: Int { end > start ? end - start : end + 1_440 - start }

  /// Creates a window from `20:00-07:00`; its end may be `24:00` or `00:00`.
  public init(typed text: some StringProtocol) throws(RuleFault) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = Self.minute(ends[0]), let end = Self.minute(ends[1]), start < 1_440 else {
      // One time alone, or with a hyphen on one side of it.
      let times = ends.filter { !$0.isEmpty }
      if ends.count <= 2, times.count == 1, let time = Self.minute(times[0]) {
        throw Self.oneTime(time, isEnd: ends.count == 2 && ends[0].isEmpty)
      }
      throw RuleFault(
        Phrase(
          "{text} is no time of the day: write its start and its end, such as 20:00-07:00.",
          ["text": .text(String(text.prefix(64)).debugDescription)]))
    }
    guard start != end else {
      throw RuleFault(
        Phrase(
          "{text} is empty: give an end other than its start, or 00:00-24:00 for the whole day.",
          ["text": .text(String(text))]))
    }
    self.start = start
    self.end = end == 0 ? 1_440 : end
  }

  /// The window as text, with two digits for each number.
  public var text: String { "\(Self.clock(start))-\(Self.clock(end))" }

  /// Returns whether `left` begins earlier in the day, or ends earlier if both begin at once.
  public static func < (left: ClockWindow, right: ClockWindow) -> Bool {
    (left.start, left.end) < (right.start, right.end)
  }

  /// Returns the fault of a time that stands alone, with an example of a whole window.
  private static func oneTime(_ time: Int, isEnd: Bool) -> RuleFault {
    // What ends in the morning, or begins in the evening, is usually a bedtime.
    if isEnd {
      let start = time <= 720 ? "20:00" : clock(time - 120)
      return RuleFault(
        Phrase(
          "A start is missing before {time}: write both, such as {window}.",
          ["time": .text(clock(time)), "window": .text("\(start)-\(clock(time))")]))
    }
    let end = time >= 1_080 ? "07:00" : clock(time + 120)
    let start = time == 1_440 ? "00:00" : clock(time)
    return RuleFault(
      Phrase(
        "An end is missing after {time}: write both, such as {window}.",
        ["time": .text(clock(time)), "window": .text("\(start)-\(end)")]))
  }

  private static func minute(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2 else { return nil }
    let isDigits = parts.allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
    guard isDigits, let hour = Int(String(parts[0])), let minute = Int(String(parts[1])) else { return nil }
    guard minute < 60, hour < 24 || (hour == 24 && minute == 0) else { return nil }
    return hour * 60 + minute
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return (hour < 10 ? "0\(hour)" : "\(hour)") + (rest < 10 ? ":0\(rest)" : ":\(rest)")
  }
}

/// Times of the day by weekday, such as `mon-fri 20:00-07:00, sat-sun 21:00-08:00`.
///
/// A window belongs to the date on which it begins, and may end on the next one. There may be
/// several a day, at most 8.
///
/// Spec: Protocol/11-rules.md §1.
public struct WeekWindows: Hashable, Sendable {
  /// The largest number of windows that begin on one day.
  public static let mostPerDay = 8

  /// The windows that begin on each weekday, Monday first, the earliest first.
  public let days: [[ClockWindow]]

  /// Creates windows from text as a person may type it.
  ///
  /// Throws a fault for windows that are empty or overlap, also from one day to the next.
  public init(typed text: String) throws(RuleFault) {
    var days = [[ClockWindow]](repeating: [], count: 7)
    for (weekdays, value) in try WeekdayText.items(text) {
      let window = try ClockWindow(typed: value)
      for day in weekdays { days[day.rawValue].append(window) }
    }
    for day in Weekday.allCases {
      days[day.rawValue].sort()
      guard days[day.rawValue].count <= Self.mostPerDay else {
        throw RuleFault(Phrase("There are more than 8 times on {day}: join some of them.", ["day": .text(day.word)]))
      }
    }
    self.days = days
    if let (first, second) = overlap { throw RuleFault.overlap(first, second) }
  }

  init(everyDay window: ClockWindow) { days = Array(repeating: [window], count: 7) }

  public subscript(day: Weekday) -> [ClockWindow] { days[day.rawValue] }

  /// A Boolean value that indicates whether the windows leave no minute of the week out.
  public var isAlways: Bool { days.joined().reduce(0) { $0 + $1.length } >= 7 * 1_440 }

  /// The windows as text, which is the same for the same windows.
  public var text: String { items.map { WeekdayText.item($0.run, $0.window.text) }.joined(separator: ", ") }

  /// The windows as a phrase, such as "Mon–Fri 20:00-07:00 and Sat 21:00-07:00".
  public var phrase: Phrase {
    if items.isEmpty { return Phrase("none") }
    return Phrase("{windows}", ["windows": .list(items.map { .phrase(WeekdayText.phrase($0.run, $0.window.text)) })])
  }

  /// The windows, each with the weekdays in a row on which it begins.
  private var items: [(run: ClosedRange<Weekday>, window: ClockWindow)] {
    var items: [(run: ClosedRange<Weekday>, window: ClockWindow)] = []
    for window in Set(days.joined()) {
      let on = Set(Weekday.allCases.filter { days[$0.rawValue].contains(window) })
      items += WeekdayText.runs(of: on).map { ($0, window) }
    }
    items.sort { ($0.run.lowerBound, $0.window) < ($1.run.lowerBound, $1.window) }
    return items
  }

  /// Two windows that share a minute of the week, as text; `nil` if there are none.
  private var overlap: (String, String)? {
    var spans: [(start: Int, end: Int, name: String)] = []
    for day in Weekday.allCases {
      for window in days[day.rawValue] {
        let start = day.rawValue * 1_440 + window.start
        spans.append((start, start + window.length, "\(day.word) \(window.text)"))
      }
    }
    // The last one may reach into the first of the next week.
    if let first = spans.first { spans.append((first.start + 7 * 1_440, first.end + 7 * 1_440, first.name)) }
    for (left, right) in zip(spans, spans.dropFirst()) where spans.count > 2 && left.end > right.start {
      return (left.name, right.name)
    }
    return nil
  }
}

/// Times of one day, such as `22:00-07:00`, or none.
///
/// As text: windows that are separated by a comma and a space, or `none`.
///
/// Spec: Protocol/11-rules.md §1.
public struct DayWindows: Hashable, Sendable {
  /// The windows, the earliest by the clock first.
  public let windows: [ClockWindow]

  public init(typed text: String) throws(RuleFault) {
    if text.lowercased() == "none" {
      windows = []
      return
    }
    let items = try WeekdayText.items(text)
    guard items.allSatisfy({ $0.days.count == 7 }) else {
      throw RuleFault("A rule for one day takes no weekdays: give only times, such as 22:00-07:00.")
    }
    guard items.count <= WeekWindows.mostPerDay else {
      throw RuleFault("There are more than 8 times on that day: join some of them.")
    }
    var windows: [ClockWindow] = []
    for item in items { windows.append(try ClockWindow(typed: item.value)) }
    windows.sort()
    for (index, window) in windows.enumerated() where windows.count > 1 {
      let isLast = index == windows.count - 1
      let next = windows[isLast ? 0 : index + 1]
      if window.start + window.length > next.start + (isLast ? 1_440 : 0) {
        throw RuleFault.overlap(window.text, next.text)
      }
    }
    self.windows = windows
  }

  /// A Boolean value that indicates whether the windows leave no minute of the day out.
  public var isAlways: Bool { windows.reduce(0) { $0 + $1.length } >= 1_440 }

  /// The windows as text, which is the same for the same windows.
  public var text: String { windows.isEmpty ? "none" : windows.map(\.text).joined(separator: ", ") }
}

extension RuleFault {
  fileprivate static let endless = RuleFault(
    "That bedtime never ends: leave some time between its end and its next start.")

  /// Two times, as text, share a minute.
  fileprivate static func overlap(_ first: String, _ second: String) -> RuleFault {
    RuleFault(
      Phrase(
        "The times {first} and {second} overlap: change one of them.",
        ["first": .text(first), "second": .text(second)]))
  }
}

extension RuleForm<WeekWindows> {
  /// Times of the week; if they must end, some minute of the week is left out.
  static func windows(mustEnd: Bool = false) -> Self {
    RuleForm(
      .form(mustEnd ? "windows that end" : "windows"),
      typed: { text throws(RuleFault) in
        let windows = try WeekWindows(typed: text)
        if mustEnd, windows.isAlways { throw .endless }
        return windows
      }, text: { $0.text })
  }
}

extension RuleForm<DayWindows> {
  /// Times of one day; if they must end, some minute of the day is left out.
  static func times(mustEnd: Bool = false) -> Self {
    RuleForm(
      .form(mustEnd ? "times that end" : "times"),
      typed: { text throws(RuleFault) in
        let times = try DayWindows(typed: text)
        if mustEnd, times.isAlways { throw .endless }
        return times
      }, text: { $0.text },
      words: { times, _ in times.windows.isEmpty ? Phrase("none") : Phrase(verbatim: times.text) })
  }
}
