import LatchkeyModel

/// What holds for one application of a child now.
///
/// Spec: Protocol/11-rules.md §5.
public struct Verdict: Hashable, Sendable {
  /// The remaining times at which a child is warned: 15, 5 and 1 minutes, in milliseconds.
  public static let warningMilliseconds: [Int64] = [900_000, 300_000, 60_000]

  /// The category that the decision used.
  public var category: AppCategory
  /// A Boolean value that indicates whether the application may run.
  public var isAllowed: Bool
  /// The rule that closes it, now or at `until`; `nil` if none does before the end of the next day.
  public var reason: Reason?
  /// If allowed, the instant at which it closes; if closed, the earliest instant at which it may open again.
  ///
  /// It is `nil` if no rule closes it before the end of the next day, or if only a parent can open it.
  public var until: BootInstant?
  /// The instant of the decision.
  public var decidedAt: BootInstant

  /// The instants at which to warn, the earliest first, none of them before the decision.
  public var warnings: [BootInstant] {
    guard isAllowed, let until else { return [] }
    return Self.warningMilliseconds.filter { $0 <= until - decidedAt }.map { until + -$0 }
  }
}

/// What holds for a child on a machine now.
public struct ChildVerdicts: Hashable, Sendable {
  /// A program that runs and must be closed.
  public struct Closure: Hashable, Sendable {
    /// The number of the account in which it runs.
    public var account: UInt32
    /// The program.
    public var subject: Subject
    /// The rule that closes it.
    public var reason: Reason?
  }

  /// The verdict for each application that has rules or runs, and for unknown programs.
  public var verdicts: [Subject: Verdict]
  /// The programs that run and must be closed, by account, then by program.
  public var closures: [Closure]
  /// The latest instant at which to decide again, if nothing happens before.
  public var decideAgain: BootInstant
}
