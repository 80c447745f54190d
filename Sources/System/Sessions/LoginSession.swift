/// A session of a person, as logind describes it.
public struct LoginSession: Hashable, Sendable {
  public var id: String
  public var user: UInt32
  /// The seat that it belongs to; empty for none.
  public var seat: String
  /// A Boolean value that indicates whether it is in the foreground of its seat; logind also
  /// reports `true` for sessions without a seat.
  public var isActive: Bool
  /// A Boolean value that indicates whether its desktop reports that it is locked.
  ///
  /// The desktop runs in the account itself, so the value `false` must not give an advantage.
  public var isLocked: Bool
  /// Its class, such as `user` or `greeter`.
  public var sessionClass: String
  /// Its state, such as `online`, `active` or `closing`.
  public var state: String
  /// Its type, such as `tty`, `x11` or `wayland`.
  public var type: String
  /// A Boolean value that indicates whether it is a session over the network.
  public var isRemote: Bool

  public init(
    id: String, user: UInt32, seat: String, isActive: Bool, isLocked: Bool, sessionClass: String = "user",
    state: String = "active", type: String = "", isRemote: Bool = false
  ) {
    self.id = id
    self.user = user
    self.seat = seat
    self.isActive = isActive
    self.isLocked = isLocked
    self.sessionClass = sessionClass
    self.state = state
    self.type = type
    self.isRemote = isRemote
  }

  /// A Boolean value that indicates whether a person at the machine can use the session now: it is
  /// a user's, local, in the foreground of a seat, and not locked.
  public var isInUse: Bool { isInForeground && !isLocked }

  /// A Boolean value that indicates whether a person at the machine can use the session now, or can
  /// unlock it.
  public var isInForeground: Bool {
    sessionClass.hasPrefix("user") && !isRemote && !seat.isEmpty && isActive && state != "closing"
  }
}
