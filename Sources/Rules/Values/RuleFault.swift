import LatchkeyModel

/// The reason why a rule cannot be taken, as one sentence that says what to do next.
public struct RuleFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence, before it is put into the reader's language.
  public let phrase: Phrase

  /// The fault of a rule for an ID that stands for many programs.
  public static let manyPrograms = RuleFault(
    """
    This stands for many programs and has no rules of its own: limits, bedtime and locks hold for it, and `latchkey settings \
    set` has --unknown-programs and --screen-time.
    """)

  public init(_ phrase: Phrase) { self.phrase = phrase }

  public var sentence: String { phrase.worded() }

  public var description: String { sentence }
}

enum RuleNumber {
  /// Returns the number of up to 15 ASCII digits without leading zeros; else `nil`.
  static func read(_ text: some StringProtocol) -> Int64? {
    let bytes = text.utf8
    guard (1...15).contains(bytes.count), bytes.allSatisfy(\.isDigit) else { return nil }
    guard bytes.count == 1 || bytes.first != 0x30 else { return nil }
    return Int64(String(text))
  }

  /// Returns a number with commas between groups of three digits, such as `1,440`.
  static func grouped(_ number: Int64) -> String {
    var groups: [String] = []
    var rest = number.magnitude
    while rest >= 1_000 {
      let low = String(rest % 1_000)
      groups.insert(String(repeating: "0", count: 3 - low.utf8.count) + low, at: 0)
      rest /= 1_000
    }
    return (number < 0 ? "-" : "") + ([String(rest)] + groups).joined(separator: ",")
  }
}
