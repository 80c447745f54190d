/// The kinds of stream between two devices, most urgent first.
///
/// Spec: Protocol/05-delivery.md §1.
public enum StreamClass: UInt8, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// Removal and roles.
  case control = 1
  case command = 2
  case receipt = 3
  case usage = 4

  /// Returns whether `left` sorts before `right`.
  public static func < (left: StreamClass, right: StreamClass) -> Bool { left.rawValue < right.rawValue }

  /// Creates a class from the value of `word`.
  public init?(word: String) {
    guard let match = Self.allCases.first(where: { $0.word == word.lowercased() }) else { return nil }
    self = match
  }

  /// The word that people read.
  public var word: String {
    switch self {
    case .control: "control"
    case .command: "command"
    case .receipt: "receipt"
    case .usage: "usage"
    }
  }
}
