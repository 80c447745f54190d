import LatchkeyModel
import LatchkeyNode

/// What a parent does about points: give, take, and decide about learning that looks wrong.
enum PointsForms {
  static let all = [
    Form(path: "/points/adjust", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let points = try call.milliPoints(
        "points", else: Phrase("Give a number of points above 0, such as 20 or 2.5."))
      let isGift: Bool
      switch try call.field("deed") {
      case "give": isGift = true
      case "take": isGift = false
      default: throw PageFault(400, "Points are given or taken: go back and choose one.")
      }
      let made = try await call.once(try call.field("key")).ask(
        Endpoints.adjustPoints,
        PointsAdjustment(child: child, milliPoints: isGift ? points : -points, reason: call.fields["reason"] ?? ""))
      if made.isRepeated == true {
        return FormOutcome(
          sentences: ["Points were changed once, although the button was pressed twice. Press it here for more."],
          page: "/children/\(child)")
      }
      return FormOutcome(sentences: sentences(made), page: "/children/\(child)")
    },
    Form(path: "/points/review", whoMay: [.parent, .phone]) { call in
      let child = try call.child()
      let isApproved: Bool
      switch try call.field("decision") {
      case "approve": isApproved = true
      case "reject": isApproved = false
      default: throw PageFault(400, "Learning counts or does not: go back and choose one.")
      }
      _ = try await call.node.ask(
        Endpoints.reviewPoints, PointsReview(record: try call.field("record"), isApproved: isApproved))
      return FormOutcome(
        sentences: [isApproved ? Phrase("That learning counts.") : Phrase("That learning does not count.")],
        page: "/children/\(child)")
    },
  ]

  /// Returns what came of a change.
  private static func sentences(_ made: PointsAdjusted) -> [Phrase] {
    let name = Phrase.Argument.text(made.points.childName.text)
    func points(_ milliPoints: Int64) -> [String: Phrase.Argument] {
      ["child": name, "points": .phrase(PointsText.phrase(milliPoints))]
    }
    var sentences: [Phrase] = []
    if made.milliPoints > 0 { sentences.append(Phrase("{child} gets {points}.", points(made.milliPoints))) }
    if made.milliPoints < 0 { sentences.append(Phrase("{child} loses {points}.", points(-made.milliPoints))) }
    if made.asked > 0 {
      sentences.append(
        Phrase("The machines of {child} are asked to take {points} away, as far as they have them.", points(made.asked))
      )
    }
    return sentences.isEmpty
      ? [Phrase("Nothing was taken: no points of {child} are in reach of this machine.", ["child": name])] : sentences
  }
}
