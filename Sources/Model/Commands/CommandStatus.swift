/// How far a command has come, as its sender sees it.
public enum CommandStatus: String, Codable, Sendable, Hashable, CaseIterable {
  /// Durable here, on its way.
  case queued
  /// Durable on the child.
  case stored
  /// In force: the child reported the state that now holds.
  case executed
  /// The child could not do it and said why.
  case failed
  case expired
  /// A newer command for the same thing holds instead.
  case superseded
  /// Taken back before it was stored.
  case cancelled

  /// Whether nothing more will happen to the command.
  public var isFinal: Bool {
    switch self {
    case .queued, .stored: false
    case .executed, .failed, .expired, .superseded, .cancelled: true
    }
  }
}
