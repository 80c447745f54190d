import LatchkeyModel

/// The person or rule that accepts the other machine.
enum PairingConsent: Hashable, Sendable {
  /// It was given with the command.
  case beforehand
  /// A person, with yes or no.
  case person
  /// A program, with a line that is exactly the six digits.
  case digitLine
  /// The caller, who named the digits with the command.
  case digits(String)

  /// A Boolean value that indicates whether a line of input is needed.
  var readsLine: Bool { self == .person || self == .digitLine }

  /// The answer that a line gives; the end of the input is a no.
  func accepts(_ line: String?, digits: String?) -> Bool {
    switch self {
    case .beforehand: true
    case .person: Self.isYes(line)
    case .digitLine: line != nil && line == digits
    case .digits(let expected): expected == digits
    }
  }

  /// Returns whether an answer means yes; any other answer, including none, means no.
  static func isYes(_ line: String?) -> Bool { ["y", "yes"].contains(word(line)) }

  /// Returns whether an answer is unclear, so that the question is repeated; no answer means no.
  func isUnclear(_ line: String?) -> Bool {
    self == .person && !["y", "yes", "n", "no", ""].contains(Self.word(line))
  }

  private static func word(_ line: String?) -> String { (line ?? "").lowercased().filter { !$0.isWhitespace } }
}
