/// What a child reports to hold after a command.
public enum StateInForce: Hashable, Sendable, Codable {
  case app(AppConfiguration, Enforcement)
  /// `modified` says which removal holds; nil from a child of before version 0.2.
  case appRemoved(AppID, modified: HybridTimestamp? = nil)
  case familySettings(FamilySettings)
  case report(DeviceReport)
  /// The message is stored and shown by `latchkey status` there.
  case messageStored
  case unpaired
}
