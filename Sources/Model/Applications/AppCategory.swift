/// The effect of using an application on a child's points.
public enum AppCategory: String, Codable, Sendable, Hashable, CaseIterable {
  /// Use earns points.
  case learning
  /// Use costs points.
  case reward
  /// Use is recorded and has no effect.
  case neutral
}
