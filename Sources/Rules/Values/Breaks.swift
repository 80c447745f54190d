import LatchkeyModel

/// A break that is due after some screen time without a pause of its length.
///
/// As text: the minutes of screen time, a space, and the minutes of the break: `45 10`.
///
/// Spec: Protocol/11-rules.md §5.
public struct Breaks: Hashable, Sendable {
  /// The minutes of screen time before a break, 1 to 1,440.
  public let after: Int64
  public static let afterMinutes: ClosedRange<Int64> = 1...1_440
  /// The minutes of a break, 1 to 240.
  ///
  /// A night is longer than any break, so that use before it does not matter.
  public let length: Int64
  public static let lengthMinutes: ClosedRange<Int64> = 1...240

  public init(typed text: String) throws(RuleFault) {
    let numbers = text.split(separator: " ", omittingEmptySubsequences: true).map { RuleNumber.read($0) }
    guard numbers.count == 2, let after = numbers[0], let length = numbers[1] else {
      throw RuleFault(
        "Breaks are two numbers of minutes, of screen time and of the break: give both, such as 45 and 10.")
    }
    guard Self.afterMinutes.contains(after), Self.lengthMinutes.contains(length) else {
      throw RuleFault(
        "A break is 1 to 240 minutes long, after 1 to 1,440 minutes of screen time: give both in minutes, such as 45 and 10."
      )
    }
    (self.after, self.length) = (after, length)
  }

  public var text: String { "\(after) \(length)" }

  /// Returns the standing: closed for the rest of a break, or open for the time until the next one.
  ///
  /// `presence` are the times of use, the earliest first, which do not touch each other. They count
  /// from `first` to the present time, `now`. All are in Unix milliseconds. Use during a break does
  /// not count.
  func standing(_ presence: [Range<Int64>], from first: Int64, to now: Int64) -> Standing {
    let (after, length) = (after * 60_000, length * 60_000)
    var used: Int64 = 0
    var last = Int64.min
    var breakEnd = Int64.min
    for range in presence where range.lowerBound < now {
      var start = max(range.lowerBound, first, breakEnd)
      let end = min(range.upperBound, now)
      if used > 0, start < end, start - last >= length { used = 0 }
      while start < end {
        let missing = after - used
        if end - start < missing {
          used += end - start
          last = end
          break
        }
        breakEnd = start + missing + length
        used = 0
        start = breakEnd
      }
    }
    if now < breakEnd { return .closed(breakEnd - now) }
    if used > 0, now - last >= length { used = 0 }
    return .open(after - used)
  }

  /// The breaks in words, such as "a break of 10 min after 45 min of screen time".
  var phrase: Phrase {
    Phrase(
      "a break of {length} after {time} of screen time",
      ["length": .phrase(SpanText.phrase(minutes: Int(length))), "time": .phrase(SpanText.phrase(minutes: Int(after)))])
  }
}

extension RuleForm<Breaks> {
  static var breaks: Self {
    RuleForm(
      .form("breaks"), typed: { text throws(RuleFault) in try Breaks(typed: text) }, text: { $0.text },
      words: { breaks, _ in breaks.phrase })
  }
}
