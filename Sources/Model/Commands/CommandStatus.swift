/// The progress of a command, as its author sees it.
public enum CommandStatus: String, Codable, Sendable, Hashable, CaseIterable {
  /// The command is durable on the author's machine and waits for delivery.
  case queued
  /// The command is durable on the child's machine.
  case stored
  /// The command was executed, and the child's machine reported the state now in force.
  case executed
  /// The child's machine could not execute the command and reported the reason.
  case failed
  /// The command expired before it was executed.
  case expired
  /// The child's machine held something newer already.
  case superseded
  /// The author cancelled the command before it was stored on the child's machine.
  case cancelled

  /// A Boolean value that indicates whether the status cannot change any more.
  public var isFinal: Bool {
    switch self {
    case .queued, .stored: false
    case .executed, .failed, .expired, .superseded, .cancelled: true
    }
  }
}
