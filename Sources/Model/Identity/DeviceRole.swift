/// The role of a device in its household.
public enum DeviceRole: String, Codable, Sendable, Hashable, CaseIterable {
  /// A device that sends configuration and reads usage.
  case parent
  /// A device that carries out configuration and reports usage.
  case child
}
