import LatchkeyModel

/// The evidence that a child's machine gathered during a session of learning.
///
/// Spec: Protocol/11-rules.md §7.
public struct LearningEvidence: Hashable, Sendable {
  /// The shortest time without any input that looks wrong, in milliseconds.
  public static let idleMilliseconds: Int64 = 60_000
  /// The shortest time that looks wrong if a program runs on after it was closed, in milliseconds.
  public static let closedMilliseconds: Int64 = 60_000

  /// The number of events from input devices; `nil` if the machine cannot see them.
  public var inputs: Int?
  /// The time for which a reward was active at the same time, in milliseconds.
  public var rewardMilliseconds: Int64
  /// The time that passed on the boot clock, in milliseconds.
  public var elapsedMilliseconds: Int64
  /// The time for which the program ran although a rule had closed it, in milliseconds.
  public var closedMilliseconds: Int64

  public init(inputs: Int?, rewardMilliseconds: Int64, elapsedMilliseconds: Int64, closedMilliseconds: Int64 = 0) {
    self.closedMilliseconds = closedMilliseconds
    self.inputs = inputs
    self.rewardMilliseconds = rewardMilliseconds
    self.elapsedMilliseconds = elapsedMilliseconds
  }

  /// Returns the reason to review a session; `nil` if it looks right.
  public func holdReason(for record: UsageRecord) -> HoldReason? {
    // A program may take a moment to end. One that ran closed for most of its time was never
    // allowed.
    let moment = min(Self.closedMilliseconds, max(1, record.activeMilliseconds / 2))
    if closedMilliseconds >= moment { return .notAllowed }
    if inputs == 0, record.activeMilliseconds >= Self.idleMilliseconds { return .noActivity }
    if rewardMilliseconds > 0 { return .rewardBeside }
    let shown = Int128(record.sessionEnd) - Int128(record.sessionStart)
    let jump = shown - Int128(elapsedMilliseconds)
    return abs(jump) > Int128(HouseholdClock.slackMilliseconds) ? .clockJump : nil
  }
}
