/// The exact number of points that an hour of use earns or costs.
///
/// Settings and records contain rates in whole milli-points per minute, which cannot express "20
/// points an hour" (333⅓ milli-points a minute). Whole milli-points per *hour* express both, and
/// all arithmetic uses this unit, so that 1,800 s at 20 points an hour are 10 points rather than
/// 9.99.
public struct PointsRate: Hashable, Sendable, Comparable {
  /// The highest rate: 1,000,000 points per minute.
  public static let highest = PointsRate(unchecked: Limits.milliPointsPerMinute.upperBound * 60)

  /// The rate in milli-points per hour of use, 0 to 60,000,000,000.
  public let milliPointsPerHour: Int64

  private init(unchecked milliPointsPerHour: Int64) { self.milliPointsPerHour = milliPointsPerHour }

  /// Creates a rate from milli-points per minute, limited to the valid range.
  public init(milliPointsPerMinute: Int64) {
    let highest = Self.highest.milliPointsPerHour / 60
    self.init(unchecked: min(max(milliPointsPerMinute, 0), highest) * 60)
  }

  /// Creates a rate from milli-points per hour, limited to the valid range.
  public init(milliPointsPerHour: Int64) {
    self.init(unchecked: min(max(milliPointsPerHour, 0), Self.highest.milliPointsPerHour))
  }

  public static func < (left: PointsRate, right: PointsRate) -> Bool {
    left.milliPointsPerHour < right.milliPointsPerHour
  }
}

/// The fraction below one milli-point that is carried from one stretch of use to the next.
///
/// There is one for each child, application, category and family day, and it starts at 0. It does
/// not depend on a rate, so the rate may change between two stretches. For earnings, it is what the
/// child has yet to receive; for costs, what the child has paid in advance.
public struct PointsRemainder: Hashable, Sendable {
  /// The number of parts of one milli-point: the milliseconds of an hour, since rates are per hour.
  public static let partsPerMilliPoint: Int64 = 3_600_000

  /// The number of parts of a milli-point, 0 to 3,599,999.
  public internal(set) var parts: Int64

  /// Creates the remainder of 0 with which a day starts.
  public init() { parts = 0 }

  /// Creates a remainder from a stored number of parts, 0 to 3,599,999; `nil` for any other number.
  public init?(parts: Int64) {
    guard (0..<Self.partsPerMilliPoint).contains(parts) else { return nil }
    self.parts = parts
  }
}

/// The computation of points from time and rates, in whole milli-points, without loss between two
/// stretches of use.
///
/// Earnings are rounded down and costs up, for the whole day rather than each stretch, since the
/// remainder is carried over. Dividing a session anywhere within a day therefore changes nothing,
/// and no order of earning, paying and refunds results in more than the time was worth. Nothing
/// here overflows, whatever a record contains.
public enum PointsArithmetic {
  /// The longest time that counts in one stretch: 100 years, in milliseconds.
  public static let longestMilliseconds: Int64 = 100 * 366 * 86_400_000

  /// Returns whether a session is long enough to earn points.
  ///
  /// Pass the whole session: the parts into which the edges of days divide it earn together.
  /// `minimumSessionMinutes` is the family's minimum; 0 or less permits every session.
  public static func earns(sessionMilliseconds: Int64, minimumSessionMinutes: Int) -> Bool {
    Int128(sessionMilliseconds) >= Int128(minimumSessionMinutes) * 60_000
  }

  /// Returns the milli-points that a stretch of use earns, and carries the remainder over.
  ///
  /// `carry` is the remainder of the application's earlier stretches on that day. A negative time
  /// counts as 0, and more than 100 years as 100 years.
  public static func earned(activeMilliseconds: Int64, rate: PointsRate, carry: inout PointsRemainder) -> Int64 {
    let (milliPoints, parts) = (worth(activeMilliseconds, rate) + Int128(carry.parts)).quotientAndRemainder(
      dividingBy: Int128(PointsRemainder.partsPerMilliPoint))
    carry.parts = Int64(parts)
    return Int64(milliPoints)
  }

  /// Returns the milli-points that a stretch of use costs, and carries over what is paid in
  /// advance.
  ///
  /// `carry` is the advance payment of the application's earlier stretches on that day. A negative
  /// time counts as 0, and more than 100 years as 100 years.
  public static func cost(activeMilliseconds: Int64, rate: PointsRate, carry: inout PointsRemainder) -> Int64 {
    let unit = Int128(PointsRemainder.partsPerMilliPoint)
    let due = worth(activeMilliseconds, rate) - Int128(carry.parts)
    guard due > 0 else {
      carry.parts = Int64(-due)
      return 0
    }
    let milliPoints = (due + unit - 1) / unit
    carry.parts = Int64(milliPoints * unit - due)
    return Int64(milliPoints)
  }

  /// Returns the refund in milli-points for time that was paid for and only partly used.
  ///
  /// It is 0 to what was paid. `rate` is the one that was paid, rather than the present one.
  public static func refund(paidMilliPoints: Int64, usedMilliseconds: Int64, rate: PointsRate) -> Int64 {
    var nothing = PointsRemainder()
    let spent = cost(activeMilliseconds: usedMilliseconds, rate: rate, carry: &nothing)
    return spent >= paidMilliPoints ? 0 : paidMilliPoints - spent
  }

  /// Returns time multiplied by rate, in parts of a milli-point: at most 2 × 10²³.
  private static func worth(_ milliseconds: Int64, _ rate: PointsRate) -> Int128 {
    Int128(min(max(milliseconds, 0), longestMilliseconds)) * Int128(rate.milliPointsPerHour)
  }
}

extension Sequence<Int64> {
  /// The sum of the numbers, clamped to 64 bits: numbers of other machines must not trap.
  public var limitedSum: Int64 { Int64(clamping: reduce(Int128(0)) { $0 + Int128($1) }) }
}

/// Points as people write them, exactly: up to three decimal places stand for whole milli-points.
public enum PointsText {
  /// The most points a minute that a rule may have.
  public static let greatest: Int64 = 1_000_000

  /// Returns the milli-points in a number such as `2.5`; `nil` if it is malformed or too great.
  public static func milliPoints(_ text: String) -> Int64? {
    let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = digits(halves[0], 1...7), whole <= greatest else { return nil }
    guard halves.count == 2 else { return whole * 1_000 }
    guard let fraction = digits(halves[1], 1...3) else { return nil }
    let scale: [Int64] = [100, 10, 1]
    let value = whole * 1_000 + fraction * scale[halves[1].utf8.count - 1]
    return value <= greatest * 1_000 ? value : nil
  }

  private static func digits(_ text: Substring, _ lengths: ClosedRange<Int>) -> Int64? {
    guard lengths.contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int64(text)
  }

  /// Returns milli-points as a number without unnecessary decimal places.
  public static func text(_ milliPoints: Int64) -> String {
    let magnitude = milliPoints.magnitude
    var text = (milliPoints < 0 ? "-" : "") + String(magnitude / 1_000)
    let rest = magnitude % 1_000
    guard rest > 0 else { return text }
    var places = String(rest)
    places = String(repeating: "0", count: 3 - places.count) + places
    while places.hasSuffix("0") { places.removeLast() }
    text += "." + places
    return text
  }

  /// Returns points with their noun, such as `1 point` or `2.5 points`.
  public static func counted(_ milliPoints: Int64) -> String { phrase(milliPoints).worded() }

  /// Returns points with their noun as a phrase.
  public static func phrase(_ milliPoints: Int64) -> Phrase {
    // A fraction of a point takes the plural in every language that has texts.
    let isWhole = milliPoints % 1_000 == 0
    return Phrase(
      one: "{points} point", other: "{points} points",
      count: isWhole ? Int(clamping: (milliPoints / 1_000).magnitude) : 2, ["points": number(milliPoints)])
  }

  /// Returns milli-points that fall constantly, as people read them: rounded down to tenths.
  public static func left(_ milliPoints: Int64) -> Int64 { milliPoints - ((milliPoints % 100) + 100) % 100 }

  /// Returns milli-points as a number for a phrase, with the decimal mark of a language.
  public static func number(_ milliPoints: Int64) -> Phrase.Argument {
    let parts = text(milliPoints).split(separator: ".").map { Phrase.Argument.text(String($0)) }
    guard let whole = parts.first, let places = parts.dropFirst().first else { return parts.first ?? "0" }
    return .phrase(Phrase("{whole}.{places}", ["whole": whole, "places": places]))
  }
}
