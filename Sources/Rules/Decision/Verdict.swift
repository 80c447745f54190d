import LatchkeyModel

/// The decision about one application of a child at one instant.
///
/// Spec: Protocol/11-rules.md §5.
public struct Verdict: Hashable, Sendable {
  /// The remaining times at which a child is warned: 15, 5 and 1 minutes, in milliseconds.
  public static let warningMilliseconds: [Int64] = [900_000, 300_000, 60_000]

  public var category: AppCategory
  public var isAllowed: Bool
  /// The rule that closes it, now or at `until`; `nil` if no rule does before the end of the next
  /// day.
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
