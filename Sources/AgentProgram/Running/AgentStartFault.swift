/// The reason why an agent cannot start.
public struct AgentStartFault: Error, Hashable, Sendable {
  /// A sentence with the next step.
  public let sentence: String
  /// The status to exit with, of sysexits(3).
  public let exitStatus: Int32

  init(_ sentence: String, exitStatus: Int32) {
    self.sentence = sentence
    self.exitStatus = exitStatus
  }
}
