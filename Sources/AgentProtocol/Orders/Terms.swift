import LatchkeyModel

/// When the sessions of an account close, and when they open again (Protocol/13-agent.md §4, §13).
public struct SessionTerms: Hashable, Sendable, FrameValue, ClosingTerms {
  /// The step that is taken when sessions may not be open.
  public enum Step: UInt8, Hashable, Sendable, CaseIterable {
    /// The sessions are ended, and none may begin.
    case close = 1
    /// The sessions are locked, again and again.
    case lock = 2
    case lockUnlessAllowed = 3
  }

  public var step: Step
  /// The instant from which no session may be open; `nil` if none is known.
  public var closesAt: BootInstant?
  /// The later instant from which sessions may be open again, even without new orders; `nil` if
  /// only new orders open them.
  public var opensAt: BootInstant?
  /// The instants of warnings, in ascending order.
  public var warnings: [BootInstant]
  /// Why they close, in words for the child; empty if they do not.
  public var reason: String

  /// Creates terms; by default, sessions are open without an end.
  public init(
    step: Step = .close, closesAt: BootInstant? = nil, opensAt: BootInstant? = nil, warnings: [BootInstant] = [],
    reason: String = ""
  ) {
    (self.step, self.closesAt, self.opensAt, self.warnings, self.reason) = (step, closesAt, opensAt, warnings, reason)
  }

  public func areClosed(at now: BootInstant) -> Bool {
    guard let closesAt, closesAt <= now else { return false }
    return opensAt.map { now < $0 } ?? true
  }

  func write(to body: FieldWriter) -> FieldWriter {
    body.byte(step.rawValue).optionalInstant(closesAt).optionalInstant(opensAt).list(warnings, isShort: true)
      .text(reason, .reason)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    step = try body.one(by: \.rawValue) { "step \($0) of sessions" }
    closesAt = try body.optionalInstant()
    opensAt = try body.optionalInstant()
    if let opensAt {
      guard let closesAt, closesAt < opensAt else { throw .value("sessions that open before they close") }
    }
    warnings = try body.warnings()
    reason = try body.text(.reason)
  }
}

/// How long before an end a warning is to be given, and the end.
typealias ClosingWarning = (level: Int64, closesAt: BootInstant)

/// Terms by which programs or sessions close at an instant, with warnings before it.
protocol ClosingTerms {
  var closesAt: BootInstant? { get set }
  var warnings: [BootInstant] { get set }
}

extension ClosingTerms {
  /// Keeps the instant at which earlier orders closed them.
  mutating func keep(closed before: Self?, at now: BootInstant) {
    guard let old = before?.closesAt, let new = closesAt, old < new, new <= now else { return }
    closesAt = old
  }

  /// Converts the end and the warnings of an earlier boot: what was left at `at` is left at this
  /// boot's start.
  mutating func move(from at: BootInstant) {
    closesAt = closesAt.map { BootInstant(milliseconds: max(0, $0 - at)) }
    warnings = warnings.filter { $0 > at }.map { BootInstant(milliseconds: $0 - at) }
  }

  /// Returns the warning that is due; `nil` if there is none, or if the last one, `said`, says the
  /// same.
  func warning(after said: ClosingWarning?, at now: BootInstant) -> ClosingWarning? {
    guard let closesAt, closesAt > now, let due = warnings.last(where: { $0 <= now }) else { return nil }
    // Each warning is given once, even if the end moves a little with each decision.
    if let said, said.level <= closesAt - due, abs(said.closesAt - closesAt) < 30_000 { return nil }
    return (closesAt - due, closesAt)
  }
}

extension FieldReader {
  /// Reads the instants of warnings: at most 8, in ascending order.
  mutating func warnings() throws(AgentFrameError) -> [BootInstant] {
    try list("warnings", most: AgentOrders.maximumWarnings, isShort: true, by: <)
  }
}

/// The definition of screen time in an account (Protocol/13-agent.md §4, §9).
public struct ScreenTerms: Hashable, Sendable, FrameValue {
  /// The time that is measured.
  public enum Source: UInt8, Hashable, Sendable, CaseIterable {
    case programs = 0
    /// The time for which a person is at a session of the account, whatever runs.
    case sessions = 1
    /// The same, without the time in which only learning runs.
    case sessionsWithoutLearning = 2
  }

  /// The longest grace in milliseconds: four hours.
  private static let longestGrace: Int64 = 4 * 3_600_000

  public var source: Source
  /// The time after the last input for which a person counts as present, in milliseconds.
  public var graceMilliseconds: Int64

  public init(_ source: Source = .programs, graceMilliseconds: Int64 = AgentPresence.inputMilliseconds) {
    (self.source, self.graceMilliseconds) = (source, graceMilliseconds)
  }

  func write(to body: FieldWriter) -> FieldWriter { body.byte(source.rawValue).milliseconds(graceMilliseconds) }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    source = try body.one(by: \.rawValue) { "source \($0) of screen time" }
    graceMilliseconds = try body.milliseconds()
    guard graceMilliseconds <= Self.longestGrace else { throw .value("a grace of \(graceMilliseconds) ms") }
  }
}

/// When and how a program closes.
public struct ProgramTerms: Hashable, Sendable, FrameValue, ClosingTerms {
  /// The step that is taken when a program's time is over.
  public enum Step: UInt8, Hashable, Sendable, CaseIterable {
    /// It is asked to end, and killed after the grace.
    case close = 1
    case pause = 2
  }

  /// The grace where no parent has set one, in milliseconds.
  public static let usualGrace: Int64 = 5_000
  /// The longest grace: five minutes, in milliseconds.
  public static let longestGrace: Int64 = 300_000

  /// The instant from which it may not run; `nil` if none is known.
  public var closesAt: BootInstant?
  public var step: Step
  /// The time between the request to end and the kill, in milliseconds.
  public var graceMilliseconds: Int64
  /// The instants of warnings, in ascending order.
  public var warnings: [BootInstant]
  /// Why it closes, in words for the child; empty if it does not.
  public var reason: String

  /// Creates terms; by default, a program is allowed without an end.
  public init(
    closesAt: BootInstant? = nil, step: Step = .close, graceMilliseconds: Int64 = Self.usualGrace,
    warnings: [BootInstant] = [], reason: String = ""
  ) {
    (self.closesAt, self.step, self.graceMilliseconds) = (closesAt, step, graceMilliseconds)
    (self.warnings, self.reason) = (warnings, reason)
  }

  func write(to body: FieldWriter) -> FieldWriter {
    body.optionalInstant(closesAt).byte(step.rawValue).milliseconds(graceMilliseconds).list(warnings, isShort: true)
      .text(reason, .reason)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    closesAt = try body.optionalInstant()
    step = try body.one(by: \.rawValue) { "step \($0)" }
    graceMilliseconds = try body.milliseconds()
    guard graceMilliseconds <= Self.longestGrace else { throw .value("a grace of \(graceMilliseconds) ms") }
    warnings = try body.warnings()
    reason = try body.text(.reason)
  }
}
