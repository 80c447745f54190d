import LatchkeyModel

/// What a verdict is about.
public enum Subject: Hashable, Sendable, Comparable {
  /// A known application.
  case app(AppID)
  /// Every program that is no known application and comes from a place the child can write to.
  case unknown

  /// Creates the subject of the use that is recorded under an ID.
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

/// The rule that closes an application or leaves it time, in the order in which rules are named.
public enum Reason: Hashable, Sendable {
  /// A parent blocked the application.
  case blocked
  /// Unknown programs are blocked.
  case unknownProgram
  /// A parent's lock.
  case lock
  /// Bedtime.
  case bedtime
  /// School time.
  case school
  /// Rewards are allowed only at reward times.
  case rewardTimes
  /// The application's limit a day.
  case appLimit
  /// The category's limit a day.
  case categoryLimit(AppCategory)
  /// The limit on all screen time a day.
  case dailyLimit
  /// The category's limit a week.
  case categoryWeekly(AppCategory)
  /// The limit on all screen time a week.
  case weeklyLimit
  /// The points that the child may spend on this machine.
  case points
  /// The minutes that the child has redeemed.
  case redeemedTime

  /// The word for the rule in reports: the key of its register where there is one.
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

/// What one rule says about an application.
public enum Standing: Hashable, Sendable {
  /// It may run for a number of milliseconds from now; `nil` for longer than to the end of the next day.
  case open(Int64?)
  /// It may not run for at least a number of milliseconds from now; `nil` until a parent changes the rule.
  case closed(Int64?)
}
