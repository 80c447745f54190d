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

/// The standing of an application with respect to one rule.
public enum Standing: Hashable, Sendable {
  /// It may run for some milliseconds from now; `nil` for longer than until the end of the next
  /// day.
  case open(Int64?)
  /// It may not run for at least some milliseconds from now; `nil` until a parent changes the rule.
  case closed(Int64?)
}
