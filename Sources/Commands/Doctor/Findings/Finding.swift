/// A finding of an examination.
public struct Finding: Codable, Sendable, Hashable {
  /// The name of the finding for programs: lower-case words joined by `-`.
  public var id: String
  public var severity: Severity
  public var sentence: String
  /// The next step; empty if there is nothing to do.
  public var next: String

  public init(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    self.id = id
    self.severity = severity
    self.sentence = sentence
    self.next = next
  }
}

/// The severity of a finding, in ascending order.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// The finding is for information; nothing is wrong.
  case information
  /// The subject could not be examined.
  case unchecked
  /// The finding may prevent connections between machines, or soon will.
  case warning
  /// The finding prevents connections between machines, or endangers stored data.
  case fault

  public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .information: 0
    case .unchecked: 1
    case .warning: 2
    case .fault: 3
    }
  }
}
