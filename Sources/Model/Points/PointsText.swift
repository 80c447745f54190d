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
    guard lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
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
    // Parts of a point are more than one in every language that there are texts in.
    let isWhole = milliPoints % 1_000 == 0
    return Phrase(
      one: "{points} point", other: "{points} points",
      count: isWhole ? Int(clamping: (milliPoints / 1_000).magnitude) : 2, ["points": number(milliPoints)])
  }

  /// Returns milli-points that fall all the time as people read them, rounded down to tenths.
  public static func left(_ milliPoints: Int64) -> Int64 { milliPoints - ((milliPoints % 100) + 100) % 100 }

  /// Returns milli-points as a number for a phrase, with the decimal mark of a language.
  public static func number(_ milliPoints: Int64) -> Phrase.Argument {
    let parts = text(milliPoints).split(separator: ".").map { Phrase.Argument.text(String($0)) }
    guard let whole = parts.first, let places = parts.dropFirst().first else { return parts.first ?? "0" }
    return .phrase(Phrase("{whole}.{places}", ["whole": whole, "places": places]))
  }
}
