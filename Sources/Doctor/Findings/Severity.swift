/// How much a finding matters, the least first.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// Good to know; nothing is wrong.
  case information
  /// It could not be looked at.
  case unchecked
  /// It may keep machines apart, or will.
  case warning
  /// It keeps machines apart, or endangers what is kept.
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
