import LatchkeyModel

/// A parent's lock, under which only always-allowed applications may run.
///
/// As text: `on`, `off`, or `until 2026-11-22T18:30Z`, an instant in UTC. Under a lock that ends in
/// ` now`, closed programs have no time to save.
///
/// Spec: Protocol/11-rules.md §1.
public enum Lock: Hashable, Sendable {
  /// Locked until a parent unlocks.
  case on
  case off
  /// Locked until an instant in Unix milliseconds, which is a whole minute.
  case until(Int64)
  /// Locked until a parent unlocks, without time to save.
  case onNow
  /// Locked until an instant, without time to save.
  case untilNow(Int64)

  /// The latest instant of a lock: the last minute of the year 9999, in Unix milliseconds.
  public static let latest: Int64 = (2_932_896 * 1_440 + 1_439) * 60_000

  /// Creates a lock until an instant in Unix milliseconds, rounded up to a whole minute.
  public init(until instant: Int64) {
    self = .until(min((min(max(instant, 0), Self.latest) + 59_999) / 60_000 * 60_000, Self.latest))
  }

  /// The lock without time to save; the same if it is off.
  public var withoutTimeToSave: Lock {
    switch self {
    case .on, .onNow: .onNow
    case .until(let end), .untilNow(let end): .untilNow(end)
    case .off: .off
    }
  }

  /// Returns whether it locks at an instant, in Unix milliseconds.
  public func holds(at instant: Int64) -> Bool {
    switch self {
    case .on, .onNow: true
    case .until(let end), .untilNow(let end): end > instant
    case .off: false
    }
  }

  /// Returns whether a program that it closes at an instant has no time to save.
  func leavesNoTime(at instant: Int64) -> Bool {
    switch self {
    case .onNow: true
    case .untilNow(let end): end > instant
    case .on, .off, .until: false
    }
  }

  public init(typed text: String) throws(RuleFault) {
    switch text {
    case "on": self = .on
    case "off": self = .off
    case "on now": self = .onNow
    case _ where text.hasPrefix("until ") && text.hasSuffix("Z now"):
      self = try Lock(typed: String(text.dropLast(4))).withoutTimeToSave
    default:
      let fault = RuleFault("A lock is on, off, or until a time such as 2026-11-22T18:30Z: give one of them.")
      let bytes = Array(text.utf8)
      guard text.hasPrefix("until "), bytes.count == 23, bytes[16] == UInt8(ascii: "T"), bytes[19] == UInt8(ascii: ":"),
        bytes[22] == UInt8(ascii: "Z"), let day = FamilyDay(String(decoding: bytes[6..<16], as: UTF8.self)),
        let hour = Self.pair(bytes[17..<19]), let minute = Self.pair(bytes[20..<22]), hour < 24, minute < 60,
        let epoch = FamilyDay("1970-01-01"), day >= epoch
      else { throw fault }
      self = .until((Int64(day.days(since: epoch)) * 1_440 + hour * 60 + minute) * 60_000)
    }
  }

  public var text: String {
    switch self {
    case .on: return "on"
    case .off: return "off"
    case .onNow: return "on now"
    case .untilNow(let instant): return "\(Lock.until(instant).text) now"
    case .until(let instant):
      let minutes = min(max(instant, 0), Self.latest) / 60_000
      let (days, rest) = minutes.quotientAndRemainder(dividingBy: 1_440)
      let date = FamilyDay("1970-01-01")?.advanced(byDays: Int(days)).description ?? ""
      return "until \(date)T\(Self.padded(rest / 60)):\(Self.padded(rest % 60))Z"
    }
  }

  private static func pair(_ digits: some Collection<UInt8>) -> Int64? {
    guard digits.count == 2, digits.allSatisfy(\.isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension RuleForm<Lock> {
  static var lock: Self {
    RuleForm(
      .form("lock"), typed: { text throws(RuleFault) in try Lock(typed: text) }, text: { $0.text },
      words: { lock, terms in
        switch lock {
        case .on: Phrase("locked")
        case .off: Phrase("not locked")
        case .until(let instant): Phrase("locked until {time}", ["time": .text(terms.moment(instant))])
        case .onNow: Phrase("locked without time to save")
        case .untilNow(let instant):
          Phrase("locked until {time}, without time to save", ["time": .text(terms.moment(instant))])
        }
      })
  }
}
