/// A pattern for the arguments of a process: `*` stands for any text, `?` for any one character.
///
/// It may match anywhere in the arguments.
///
/// Spec: Protocol/13-agent.md §8.
struct ArgumentPattern: Hashable, Sendable {
  /// The fewest characters of a pattern that are neither `*` nor `?`.
  static let leastCharacters = 4

  private let pattern: [UInt8]

  /// Creates a pattern; `nil` if it has too few characters that say something.
  init?(_ text: String) {
    guard text.count(where: { $0 != "*" && $0 != "?" && $0 != " " && $0 != "/" }) >= Self.leastCharacters else {
      return nil
    }
    pattern = [0x2A] + Array(text.utf8) + [0x2A]
  }

  /// Returns whether arguments match, in time proportional to both sizes together at worst multiplied.
  func matches(_ arguments: String) -> Bool {
    let text = Array(arguments.utf8)
    var (place, index) = (0, 0)
    // Where to go on if what follows the last star does not match.
    var star: (pattern: Int, text: Int)?
    while index < text.count {
      if place < pattern.count, pattern[place] == 0x2A {
        star = (place, index)
        place += 1
      } else if place < pattern.count, pattern[place] == 0x3F || pattern[place] == text[index] {
        (place, index) = (place + 1, index + 1)
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        (place, index) = (last.pattern + 1, last.text + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == 0x2A }
  }
}
