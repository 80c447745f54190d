import LatchkeyModel
import LatchkeyNode

/// The sentences about points.
enum PointsSentences {
  /// Returns milli-points with their sign, such as `+2.5`.
  static func signed(_ milliPoints: Int64) -> String {
    (milliPoints > 0 ? "+" : "") + PointsText.text(milliPoints)
  }

  /// Returns what there is to say of a child's points, one sentence each.
  static func all(_ points: PointsListing, on role: DeviceRole) -> [String] {
    let name = ShownText.safe(points.childName.text)
    var sentences = ["\(name) has \(PointsText.counted(points.balance)); \(earned(points))."]
    if role == .child, points.here != points.balance {
      let verb = points.here == 1_000 ? "is" : "are"
      let here = points.here == 0 ? "None of them are" : "\(PointsText.counted(points.here)) of them \(verb)"
      sentences.append("\(here) on this machine.")
      for part in points.parts where !part.isHere && part.milliPoints > 0 {
        let machine = ShownText.quoted(part.deviceName)
        sentences.append(
          part.isInTouch
            ? "\(PointsText.counted(part.milliPoints)) come here from \(machine) when a reward runs."
            : "\(PointsText.counted(part.milliPoints)) wait on \(machine), which this machine cannot reach now: they can be "
              + "used here when it is back.")
      }
    }
    let purses = points.parts.filter { $0.milliPoints != 0 }
    if role == .parent, purses.count > 1 {
      let parts = purses.map { "\(PointsText.text($0.milliPoints)) on \(ShownText.safe($0.deviceName.text))" }
      sentences.append("Ready to be spent: \(parts.joined(separator: ", ")).")
    }
    if points.redeemedMilliseconds > 0 {
      sentences.append("\(minutes(points.redeemedMilliseconds)) of redeemed time are left on this machine.")
    }
    for part in points.parts where !part.isHere && part.redeemedMilliseconds > 0 {
      sentences.append(
        "\(minutes(part.redeemedMilliseconds)) of redeemed time are left on \(ShownText.quoted(part.deviceName)), and can be "
          + "used there alone.")
    }
    for entry in points.held {
      sentences.append(
        "\(PointsText.counted(entry.milliPoints)) wait for a review (\(entry.short)): \(entry.words) on "
          + "\(ShownText.safe(entry.deviceName.text)).")
    }
    if role == .parent, let first = points.held.first {
      let which = points.held.count > 1 ? "decides on the first of them." : "decides."
      sentences.append("`latchkey points review \(first.short) --approve` or `--reject` \(which)")
    }
    return sentences
  }

  private static func earned(_ points: PointsListing) -> String {
    points.earnedToday == 0 ? "nothing was earned today" : "\(PointsText.counted(points.earnedToday)) earned today"
  }

  static func minutes(_ milliseconds: Int64) -> String { SpanText.minutes(Int(clamping: milliseconds / 60_000)) }

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

  /// Returns what came of a change.
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
