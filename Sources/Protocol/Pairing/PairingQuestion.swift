import LatchkeyModel

/// What both screens show of the other machine, so that two people can tell whether they are looking at the same pairing.
public struct PairingQuestion: Hashable, Sendable {
  public var name: DeviceName
  public var role: DeviceRole
  /// Six digits, the same on both screens.
  public var digits: String

  public init(name: DeviceName, role: DeviceRole, digits: String) {
    self.name = name
    self.role = role
    self.digits = digits
  }
}
