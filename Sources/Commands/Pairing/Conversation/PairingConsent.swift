import LatchkeyModel

/// Who says yes to the other machine.
enum PairingConsent: Hashable, Sendable {
  /// It was given with the command.
  case beforehand
  /// A person, with yes or no.
  case person
  /// A program, with a line that is exactly the six digits.
  case digitLine
  /// The caller, who named the digits with the command.
  case digits(String)

  /// Whether a line of input has to be read.
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

  /// Whether an answer means yes; anything else, nothing included, means no.
  static func isYes(_ line: String?) -> Bool { ["y", "yes"].contains(word(line)) }

  /// Whether a person who answers so should be asked once more; nothing at all is a no.
  func isUnclear(_ line: String?) -> Bool {
    self == .person && !["y", "yes", "n", "no", ""].contains(Self.word(line))
  }

  private static func word(_ line: String?) -> String { (line ?? "").lowercased().filter { !$0.isWhitespace } }
}
