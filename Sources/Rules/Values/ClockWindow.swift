import LatchkeyModel

/// A time of the day during which something holds, such as `20:00-07:00`.
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
    let isDigits = parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard isDigits, let hour = Int(String(parts[0])), let minute = Int(String(parts[1])) else { return nil }
    guard minute < 60, hour < 24 || (hour == 24 && minute == 0) else { return nil }
    return hour * 60 + minute
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return (hour < 10 ? "0\(hour)" : "\(hour)") + (rest < 10 ? ":0\(rest)" : ":\(rest)")
  }
}
