import LatchkeyModel

/// The subject of a verdict.
public enum Subject: Hashable, Sendable, Comparable {
  case app(AppID)
  /// All unknown programs: no known application, and from a place that the child can write to.
  case unknown

  /// Creates the subject whose use is recorded under an ID.
  public init(_ app: AppID) { self = app == .unknownPrograms ? .unknown : .app(app) }

  /// The ID under which its use is recorded.
  public var app: AppID {
    switch self {
    case .app(let id): id
    case .unknown: .unknownPrograms
    }
  }

  /// Returns whether `left` sorts before `right`: applications by ID, unknown programs last.
  public static func < (left: Subject, right: Subject) -> Bool {
    switch (left, right) {
    case (.unknown, _): false
    case (.app, .unknown): true
    case (.app(let left), .app(let right)): left < right
    }
  }
}

/// The rule that closes an application or limits its time, in the order in which rules are named.
public enum Reason: Hashable, Sendable {
  /// A parent blocked the application.
  case blocked
  /// Unknown programs are blocked.
  case unknownProgram
  case lock
  case bedtime
  case school
  /// Rewards are allowed only at reward times.
  case rewardTimes
  /// The application's daily limit.
  case appLimit
  /// The category's daily limit.
  case categoryLimit(AppCategory)
  /// The daily limit on screen time.
  case dailyLimit
  /// The category's weekly limit.
  case categoryWeekly(AppCategory)
  /// The weekly limit on screen time.
  case weeklyLimit
  /// The points that the child may spend on this machine.
  case points
  /// The minutes that the child has redeemed.
  case redeemedTime

  /// The word for the rule in reports, which is the key of its register if it has one.
  public var word: String {
    switch self {
    case .blocked: "blocked"
    case .unknownProgram: "unknownPrograms"
    case .lock: "lock"
    case .bedtime: "bedtime"
    case .school: "school"
    case .rewardTimes: "rewardTimes"
    case .appLimit: "appLimit"
    case .categoryLimit(let category): "\(category.rawValue)Limit"
    case .dailyLimit: "dailyLimit"
    case .categoryWeekly(let category): "\(category.rawValue)Weekly"
    case .weeklyLimit: "weeklyLimit"
    case .points: "points"
    case .redeemedTime: "redeemedTime"
    }
  }
}

/// The standing of an application with respect to one rule.
public enum Standing: Hashable, Sendable {
  /// It may run for some milliseconds from now; `nil` for longer than until the end of the next
  /// day.
  case open(Int64?)
  /// It may not run for at least some milliseconds from now; `nil` until a parent changes the rule.
  case closed(Int64?)
}
