import LatchkeyModel

/// What follows from the verdicts for several children who share an account and of whom none has
/// said who is there.
///
/// Spec: Protocol/11-rules.md §5.
public struct SharedVerdict: Hashable, Sendable {
  public var verdict: Verdict
  /// The place, among the children, of the one whose rule it is.
  public var place: Int

  /// Creates the strictest of the verdicts on one application: it is closed if it is closed for any
  /// child, and otherwise open for the shortest time.
  ///
  /// It may open again when it may for each of the children. Learning is neutral, because nobody is
  /// there to earn by it. Returns `nil` if there is no verdict.
  public init?(strictest verdicts: [Verdict]) {
    guard let first = verdicts.first else { return nil }
    let closed = verdicts.indices.filter { !verdicts[$0].isAllowed }
    if let place = closed.first {
      var verdict = verdicts[place]
      let openings = closed.map { verdicts[$0].until }
      verdict.until = openings.contains(nil) ? nil : openings.compactMap(\.self).max()
      (self.verdict, self.place) = (verdict, place)
    } else {
      let place = verdicts.indices.min { Self.turn(verdicts[$0]) < Self.turn(verdicts[$1]) } ?? 0
      (verdict, self.place) = (verdicts[place], place)
    }
    verdict.category = verdicts.contains { $0.category == .reward } ? .reward : .neutral
    verdict.decidedAt = first.decidedAt
  }

  /// Creates the mildest of the verdicts on sessions: they are open for as long as they are for any
  /// child.
  ///
  /// Otherwise no child could say who is there, and use what is open to it alone. What runs in the
  /// sessions closes by the strictest. Returns `nil` if there is no verdict.
  public init?(mildest verdicts: [Verdict]) {
    let open = verdicts.indices.filter { verdicts[$0].isAllowed }
    let place: Int? =
      open.isEmpty
      ? verdicts.indices.min { Self.turn(verdicts[$0]) < Self.turn(verdicts[$1]) }
      : open.max { Self.turn(verdicts[$0]) < Self.turn(verdicts[$1]) }
    guard let place else { return nil }
    (verdict, self.place) = (verdicts[place], place)
  }

  /// Returns when an allowed application closes, or a closed one may open again, in milliseconds of
  /// the boot clock.
  private static func turn(_ verdict: Verdict) -> Int64 { verdict.until?.milliseconds ?? .max }
}
