import LatchkeyModel

/// The knowledge that one of two paired machines was set back to an earlier state, until that is settled.
public struct SetBack: Hashable, Sendable {
  /// Which of the two was set back.
  public enum Cause: String, Sendable {
    /// The peer has lost what it had reported stored.
    case peerLost = "lost"
    /// The peer holds what this machine has lost.
    case peerIsAhead = "ahead"
  }

  /// The other machine.
  public var device: DeviceID
  /// Its name.
  public var name: DeviceName
  /// Its role.
  public var role: DeviceRole
  /// Which of the two was set back.
  public var cause: Cause
}

extension SetBack.Cause {
  /// Creates the cause that made a stream begin anew.
  public init(_ cause: RestartCause) {
    switch cause {
    case .peerLost: self = .peerLost
    case .peerIsAhead: self = .peerIsAhead
    }
  }
}
