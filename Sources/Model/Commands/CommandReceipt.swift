/// A child's word on one command, sent back in the receipt stream.
public struct CommandReceipt: Hashable, Sendable, Codable {
  public enum Outcome: Hashable, Sendable, Codable {
    case executed(StateInForce)
    /// One sentence; UTF-8, at most 1,024 bytes.
    case failed(reason: String)
    case expired
    case superseded(StateInForce?)
  }

  public var commandID: CommandID
  public var outcome: Outcome
  /// Unix milliseconds by the child's wall clock; for people.
  public var at: Int64

  public init(commandID: CommandID, outcome: Outcome, at: Int64) {
    self.commandID = commandID
    self.outcome = outcome
    self.at = at
  }
}
