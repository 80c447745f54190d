import LatchkeyModel

/// A log-in gate's question to the agent: whether a session of an account may begin
/// (Protocol/13-agent.md §13).
public struct GateQuestion: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 8

  public var account: UInt32

  public init(account: UInt32) { self.account = account }

  /// Reads a question; `nil` if the bytes are not a question.
  public init?(bytes: [UInt8]) {
    var body = FieldReader(bytes)
    do throws(AgentFrameError) {
      try body.gateStart()
      account = try body.number32()
      try body.end()
    } catch { return nil }
  }

  public var bytes: [UInt8] { FieldWriter().gateStart().number32(account).bytes }
}

/// The agent's answer to a log-in gate (Protocol/13-agent.md §13).
public struct GateAnswer: Hashable, Sendable {
  /// The largest size in bytes.
  public static let maximumBytes = 7 + 1_024

  /// A Boolean value that indicates whether the session may begin.
  public var isAllowed: Bool
  /// Why the session may not begin, in words for the child; empty if it may.
  public var reason: String

  public init(isAllowed: Bool, reason: String = "") { (self.isAllowed, self.reason) = (isAllowed, reason) }

  /// Reads an answer; `nil` if the bytes are not an answer.
  public init?(bytes: [UInt8]) {
    var body = FieldReader(bytes)
    do throws(AgentFrameError) {
      try body.gateStart()
      isAllowed = try body.flag("whether a session may begin")
      reason = try body.text(.reason)
      try body.end()
    } catch { return nil }
  }

  public var bytes: [UInt8] { FieldWriter().gateStart().flag(isAllowed).text(reason, .reason).bytes }
}

extension FieldWriter {
  /// Writes the start of a gate's message: `LG` and the version.
  fileprivate func gateStart() -> FieldWriter { number16(0x4C47).number16(1) }
}

extension FieldReader {
  fileprivate mutating func gateStart() throws(AgentFrameError) {
    guard try number16() == 0x4C47, try number16() == 1 else { throw .value("the start of a message of the gate") }
  }
}
