/// What a child reports to hold after a command.
public enum StateInForce: Hashable, Sendable, Codable {
  case app(AppConfiguration, Enforcement)
  case appRemoved(AppID)
  case familySettings(FamilySettings)
  case report(DeviceReport)
  /// The message is stored and shown by `latchkey status` there.
  case messageStored
  case unpaired
}
