/// A finding of an examination.
public struct Finding: Codable, Sendable, Hashable {
  /// The name of the finding for programs: lower-case words joined by `-`.
  public var id: String
  public var severity: Severity
  /// The finding as a sentence.
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

/// The importance of a finding, the least important first.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// Good to know; nothing is wrong.
  case information
  /// The matter could not be looked at.
  case unchecked
  /// The finding may keep machines apart, or soon will.
  case warning
  /// The finding keeps machines apart, or endangers stored data.
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
