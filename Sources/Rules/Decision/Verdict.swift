import LatchkeyModel

/// The subject of a verdict.
public enum Subject: Hashable, Sendable, Comparable {
  case app(AppID)
  /// All unknown programs: no known application, and from a place that the child can write to.
  case unknown

  /// Creates the subject whose use is recorded under an ID.
  public init(_ app: AppID) { self = app == .unknownPrograms ? .unknown : .app(app) }

  /// The ID under which its use is recorded.
  public var app: AppID {
    switch self {
    case .app(let id): id
    case .unknown: .unknownPrograms
    }
  }

  /// Returns whether `left` sorts before `right`: applications by ID, unknown programs last.
  public static func < (left: Subject, right: Subject) -> Bool {
    switch (left, right) {
    case (.unknown, _): false
    case (.app, .unknown): true
    case (.app(let left), .app(let right)): left < right
    }
  }
}

/// The standing of an application with respect to one rule.
public enum Standing: Hashable, Sendable {
  /// It may run for some milliseconds; `nil` for beyond the end of the next day.
  case open(Int64?)
  /// It may not run for at least some milliseconds from now; `nil` until a parent changes the rule.
  case closed(Int64?)
}

/// The decision about one application of a child at one instant.
///
/// Spec: Protocol/11-rules.md §5.
public struct Verdict: Hashable, Sendable {
  /// The remaining times at which a child is warned: 15, 5 and 1 minutes, in milliseconds.
  public static let warningMilliseconds: [Int64] = [900_000, 300_000, 60_000]

  public var category: AppCategory
  public var isAllowed: Bool
  /// The rule that closes it, now or at `until`; `nil` if none does before the end of the next day.
  public var reason: Reason?
  /// The instant at which an allowed application closes, or the earliest at which a closed one may
  /// open again.
  ///
  /// It is `nil` if no rule closes it before the end of the next day, or if only a parent can open
  /// it.
  public var until: BootInstant?
  public var decidedAt: BootInstant

  /// The instants at which to warn, in ascending order, none before the decision.
  public var warnings: [BootInstant] {
    guard isAllowed, let until else { return [] }
    return Self.warningMilliseconds.filter { $0 <= until - decidedAt }.map { until + -$0 }
  }
}

/// The decisions about a child on a machine at one instant.
public struct ChildVerdicts: Hashable, Sendable {
  /// A running program that must be closed.
  public struct Closure: Hashable, Sendable {
    public var account: UInt32
    public var subject: Subject
    public var reason: Reason?
  }

  /// The verdict for each application that has rules or runs, and for unknown programs.
  public var verdicts: [Subject: Verdict]
  /// The running programs that must be closed, by account, then by program.
  public var closures: [Closure]
  /// The latest instant of the next decision, if nothing happens before.
  public var decideAgain: BootInstant
}

/// The verdict for an account that several children share while none of them is named.
///
/// Spec: Protocol/11-rules.md §5.
public struct SharedVerdict: Hashable, Sendable {
  public var verdict: Verdict
  /// The index, among the children, of the child whose rule decides.
  public var place: Int

  /// Creates the strictest of the verdicts on one application: it is closed if it is closed for any
  /// child, and otherwise open for the shortest time.
  ///
  /// It may open again when it may for each of the children. Learning is neutral, because no child
  /// is named who could earn by it. Returns `nil` if there is no verdict.
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
  /// Otherwise, no child could name itself and use the programs that only it may use. Programs in
  /// the sessions close by the strictest verdict. Returns `nil` if there is no verdict.
  public init?(mildest verdicts: [Verdict]) {
    let open = verdicts.indices.filter { verdicts[$0].isAllowed }
    let place: Int? =
      open.isEmpty
      ? verdicts.indices.min { Self.turn(verdicts[$0]) < Self.turn(verdicts[$1]) }
      : open.max { Self.turn(verdicts[$0]) < Self.turn(verdicts[$1]) }
    guard let place else { return nil }
    (verdict, self.place) = (verdicts[place], place)
  }

  /// Returns when it closes or may open again, in milliseconds of the boot clock.
  private static func turn(_ verdict: Verdict) -> Int64 { verdict.until?.milliseconds ?? .max }
}
