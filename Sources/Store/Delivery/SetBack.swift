import LatchkeyModel

/// The fact that one of two paired machines was restored to an earlier state, until the
/// consequences are resolved.
public struct SetBack: Hashable, Sendable {
  /// Which of the two machines was restored.
  public enum Cause: String, Sendable {
    /// The peer has lost items that it had reported as stored.
    case peerLost = "lost"
    /// The peer holds items that this machine has lost.
    case peerIsAhead = "ahead"
  }

  public var device: DeviceID
  public var name: DeviceName
  public var role: DeviceRole
  /// Which of the two machines was restored.
  public var cause: Cause
}

extension SetBack.Cause {
  /// Creates the cause that made a stream restart.
  public init(_ cause: RestartCause) {
    switch cause {
    case .peerLost: self = .peerLost
    case .peerIsAhead: self = .peerIsAhead
    }
  }
}
