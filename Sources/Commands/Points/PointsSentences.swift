import LatchkeyModel
import LatchkeyNode

enum PointsSentences {
  /// Returns milli-points with their sign, such as `+2.5`.
  static func signed(_ milliPoints: Int64) -> String { (milliPoints > 0 ? "+" : "") + PointsText.text(milliPoints) }

  static func all(_ points: PointsListing, on role: DeviceRole, in language: Language = .english) -> [String] {
    var phrases = [balance(points)]
    if role == .child, points.here != points.balance { phrases += elsewhere(points) }
    let purses = points.parts.filter { $0.milliPoints != 0 }
    if role == .parent, purses.count > 1 {
      let parts = purses.map { "\(PointsText.text($0.milliPoints)) on \(ShownText.safe($0.deviceName.text))" }
      phrases.append(Phrase(verbatim: "Ready to be spent: \(parts.joined(separator: ", "))."))
    }
    if points.redeemedMilliseconds > 0 {
      phrases.append(
        Phrase(
          "{time} of redeemed time are left on this machine.",
          ["time": .phrase(SpanText.phrase(whole: points.redeemedMilliseconds))]))
    }
    for part in points.parts where !part.isHere && part.redeemedMilliseconds > 0 {
      phrases.append(
        Phrase(
          "{time} of redeemed time are left on {machine}, and can be used there alone.",
          ["time": .phrase(SpanText.phrase(whole: part.redeemedMilliseconds)), "machine": part.deviceName.quotation]))
    }
    for entry in points.held {
      phrases.append(
        Phrase(
          "{points} wait for a review ({id}): {what} on {machine}.",
          [
            "points": .phrase(PointsText.phrase(entry.milliPoints)), "id": .text(entry.short),
            "what": .phrase(entry.phrase ?? Phrase(verbatim: entry.words)), "machine": .text(entry.deviceName.text),
          ]))
    }
    var sentences = phrases.map { ShownText.worded($0, in: language) }
    if role == .parent, let first = points.held.first {
      let which = points.held.count > 1 ? "decides on the first of them." : "decides."
      sentences.append("`latchkey points review \(first.short) --approve` or `--reject` \(which)")
    }
    return sentences
  }

  /// Returns what changed points, with a parent's reason.
  static func what(_ entry: PointsEntry) -> Phrase {
    let what = entry.phrase ?? Phrase(verbatim: entry.words)
    return entry.note.isEmpty ? what : Phrase("{what}: {why}", ["what": .phrase(what), "why": .text(entry.note)])
  }

  private static func balance(_ points: PointsListing) -> Phrase {
    var arguments: [String: Phrase.Argument] = [
      "child": .text(points.childName.text), "points": .phrase(PointsText.phrase(points.balance)),
    ]
    guard points.earnedToday != 0 else { return Phrase("{child} has {points}; nothing was earned today.", arguments) }
    arguments["earned"] = .phrase(PointsText.phrase(points.earnedToday))
    return Phrase("{child} has {points}; {earned} earned today.", arguments)
  }

  /// Returns how many points are on this machine, and where the others are.
  private static func elsewhere(_ points: PointsListing) -> [Phrase] {
    let count = ["points": Phrase.Argument.phrase(PointsText.phrase(points.here))]
    let here =
      points.here == 0
      ? Phrase("None of them are on this machine.")
      : points.here == 1_000
        ? Phrase("{points} of them is on this machine.", count) : Phrase("{points} of them are on this machine.", count)
    return [here]
      + points.parts.filter { !$0.isHere && $0.milliPoints > 0 }.map { part in
        let arguments: [String: Phrase.Argument] = [
          "points": .phrase(PointsText.phrase(part.milliPoints)), "machine": part.deviceName.quotation,
        ]
        return part.isInTouch
          ? Phrase("{points} come here from {machine} when a reward runs.", arguments)
          : Phrase(
            """
            {points} wait on {machine}, which this machine cannot reach now: they can be used here when it is back.
            """, arguments)
      }
  }

  /// Returns why no points were taken, and where they can be.
  private static func nothingTaken(_ result: PointsAdjusted) -> String {
    let name = ShownText.safe(result.points.childName.text)
    let purses = result.points.parts.filter { !$0.isHere && $0.milliPoints > 0 }
    if purses.isEmpty { return "Nothing was taken: \(name) has no points, as far as this machine knows." }
    let places = purses.map { "\(PointsText.counted($0.milliPoints)) on \(ShownText.quoted($0.deviceName))" }
    return
      "Nothing was taken: \(name) has \(places.joined(separator: ", ")), out of reach of this machine. Give the command "
      + "there, or on a parent's machine that is paired with it."
  }

  static func adjusted(_ result: PointsAdjusted) -> [String] {
    let name = ShownText.safe(result.points.childName.text)
    var sentences: [String] = []
    if result.milliPoints > 0 { sentences.append("\(name) gets \(PointsText.counted(result.milliPoints)).") }
    if result.milliPoints < 0 { sentences.append("\(name) loses \(PointsText.counted(-result.milliPoints)).") }
    if result.asked > 0 {
      sentences.append(
        "\(name)'s machines are asked to take \(result.milliPoints < 0 ? "another " : "")"
          + "\(PointsText.counted(result.asked)) away, as far as they have them: `latchkey points \(name)` shows it.")
    }
    if sentences.isEmpty { return [nothingTaken(result)] }
    sentences.append("\(name) has \(PointsText.counted(result.points.balance)) now, as far as this machine knows.")
    return sentences
  }
}
