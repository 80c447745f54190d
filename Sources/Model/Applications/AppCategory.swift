/// What using an application does to a child's points.
public enum AppCategory: String, Codable, Sendable, Hashable, CaseIterable {
  /// Use earns points.
  case learning
  /// Use costs points.
  case reward
  /// Use is recorded and changes nothing.
  case neutral
}
