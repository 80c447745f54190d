/// Whether a family uses points.
public enum HouseholdMode: String, Hashable, Sendable, CaseIterable {
  /// Learning earns points, and rewards cost points.
  case points
  /// There are limits and times alone.
  case limits
}

/// The treatment of programs that are no known application and come from a place the child can write to.
public enum UnknownPrograms: String, Hashable, Sendable, CaseIterable {
  /// They are allowed, and count as screen time.
  case count
  /// They are treated as rewards.
  case reward
  /// They are blocked.
  case block
}

/// How a child pays for rewards.
public enum PointsUse: String, Hashable, Sendable, CaseIterable {
  /// Use spends points as it goes on.
  case payAsYouGo
  /// The child redeems points for minutes first.
  case redeemFirst
}
