/// The kinds of stream between two devices, most urgent first.
///
/// Spec: Protocol/05-delivery.md §1.
public enum StreamClass: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// Removal and roles.
  case control = 1
  case command = 2
  case receipt = 3
  case usage = 4

  /// Returns whether `left` sorts before `right`.
  public static func < (left: StreamClass, right: StreamClass) -> Bool { left.rawValue < right.rawValue }

  public init?(word: String) {
    guard let match = Self.allCases.first(where: { $0.word == word.lowercased() }) else { return nil }
    self = match
  }

  /// The word of the local API and of the log.
  public var word: String {
    switch self {
    case .control: "control"
    case .command: "command"
    case .receipt: "receipt"
    case .usage: "usage"
    }
  }
}

extension StreamClass: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let word = try container.decode(String.self)
    guard let match = StreamClass(word: word) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no such class.")
    }
    self = match
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(word)
  }
}
