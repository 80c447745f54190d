/// What a device may do in its household.
public enum DeviceRole: String, Codable, Sendable, Hashable, CaseIterable {
  /// Sends configuration, reads usage.
  case parent
  /// Obeys configuration, reports usage.
  case child
}
