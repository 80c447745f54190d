/// A phrase as the local API and the messages between machines carry it: its English words, and
/// beside them the text and the arguments, from which another language is made.
///
/// `{"sentence": "Emma has 5 min left", "text": "{child} has {time} left",
/// "arguments": {"child": "Emma", "time": "5 min"}}`. `arguments` is left out if it is empty, and a
/// plural adds `"other"` and `"count"`. An argument is a string, a whole number, a phrase, or a
/// list of these.
///
/// Spec: Protocol/07-local-api.md §2.
extension Phrase: Codable {
  /// The deepest nesting of phrases that is read.
  public static let deepest = 10

  private enum Key: String, CodingKey {
    case sentence, text, other, count, arguments
  }

  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < 64 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      try values.decode(String.self, forKey: .text),
      try values.decodeIfPresent([String: Argument].self, forKey: .arguments) ?? [:])
    if let count = try values.decodeIfPresent(Int.self, forKey: .count) {
      plural = Plural(other: try values.decode(String.self, forKey: .other), count: count)
    }
    guard depth <= Self.deepest else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(worded(), forKey: .sentence)
    try values.encode(text, forKey: .text)
    try values.encodeIfPresent(plural?.other, forKey: .other)
    try values.encodeIfPresent(plural?.count, forKey: .count)
    if !arguments.isEmpty { try values.encode(arguments, forKey: .arguments) }
  }

  private var depth: Int { 1 + (arguments.values.map(\.depth).max() ?? 0) }
}

extension Phrase.Argument: Codable {
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let number = try? value.decode(Int.self) {
      self = .number(number)
    } else if let list = try? value.decode([Phrase.Argument].self) {
      self = .list(list)
    } else {
      self = .phrase(try value.decode(Phrase.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .text(let text): try value.encode(text)
    case .number(let number): try value.encode(number)
    case .phrase(let phrase): try value.encode(phrase)
    case .list(let list): try value.encode(list)
    }
  }

  fileprivate var depth: Int {
    switch self {
    case .text, .number: 0
    case .phrase(let phrase): 1 + (phrase.arguments.values.map(\.depth).max() ?? 0)
    case .list(let list): 1 + (list.map(\.depth).max() ?? 0)
    }
  }
}
