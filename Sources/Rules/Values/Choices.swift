/// Whether a family uses points.
public enum HouseholdMode: String, Hashable, Sendable, CaseIterable {
  /// Learning earns points, and rewards cost points.
  case points
  case limits
}

/// The treatment of unknown programs.
public enum UnknownPrograms: String, Hashable, Sendable, CaseIterable {
  /// They are allowed as any other program, and count as screen time.
  case count
  /// They are treated as rewards, and cost what rewards cost.
  case reward
  case block
}

/// The programs that a child may run at all.
public enum AllowedPrograms: String, Hashable, Sendable, CaseIterable {
  /// Those that no rule closes.
  case all
  /// Of those, only applications that a parent has given a category or always allows.
  case listed
}

/// Whether an application or a group is blocked.
public enum Block: String, Hashable, Sendable, CaseIterable {
  case yes
  /// Blocked; a program that the block closes has no time to save.
  case now
  case no
}

/// The step that ends the use of an application whose time is over.
public enum ClosingStep: String, Hashable, Sendable, CaseIterable {
  /// It is asked to end, and ended.
  case close
  /// It is frozen, and continues when it may be used again.
  case pause
}

/// Whether the programs that an application starts count as it.
public enum Launches: String, Hashable, Sendable, CaseIterable {
  /// They do, unless they are recognized otherwise.
  case counted
  case apart
}

/// The treatment of log-in sessions while only always-allowed applications may run.
public enum ClosedSessions: String, Hashable, Sendable, CaseIterable {
  /// They are left open.
  case leave
  /// They are locked, again and again.
  case lock
  /// They are locked unless an always-allowed program runs.
  case lockUnlessAllowed
  /// They are locked and ended, and none may begin.
  case close
}

/// What is measured as screen time.
public enum ScreenTimeSource: String, Hashable, Sendable, CaseIterable {
  /// The time for which a child uses a machine, whatever runs, and the programs.
  case sessions
  case programs
}

/// Whether learning counts as screen time.
public enum LearningTime: String, Hashable, Sendable, CaseIterable { case counts, free }

/// How a child pays for rewards.
public enum PointsUse: String, Hashable, Sendable, CaseIterable {
  /// Use spends points as it goes on.
  case payAsYouGo
  /// The child redeems points for minutes first.
  case redeemFirst
}
