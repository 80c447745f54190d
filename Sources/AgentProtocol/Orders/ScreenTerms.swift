import LatchkeyModel

/// The definition of screen time in an account.
///
/// Spec: Protocol/13-agent.md §4, §9.
public struct ScreenTerms: Hashable, Sendable {
  /// The time that is measured.
  public enum Source: UInt8, Hashable, Sendable, CaseIterable {
    case programs = 0
    /// The time for which a person is at a session of the account, whatever runs.
    case sessions = 1
    /// The same, without the time in which only learning runs.
    case sessionsWithoutLearning = 2
  }

  /// The longest grace in milliseconds: four hours.
  static let longestGrace: Int64 = 4 * 3_600_000

  public var source: Source
  /// The time after the last input for which a person counts as present, in milliseconds.
  public var graceMilliseconds: Int64

  public init(_ source: Source = .programs, graceMilliseconds: Int64 = AgentPresence.inputMilliseconds) {
    self.source = source
    self.graceMilliseconds = graceMilliseconds
  }

  func write(to body: inout FieldWriter) {
    body.byte(source.rawValue)
    body.milliseconds(graceMilliseconds)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    let number = try body.byte()
    guard let source = Source(rawValue: number) else { throw .value("source \(number) of screen time") }
    self.source = source
    graceMilliseconds = try body.milliseconds()
    guard graceMilliseconds <= Self.longestGrace else { throw .value("a grace of \(graceMilliseconds) ms") }
  }
}
