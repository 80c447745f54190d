/// Suggestions for a word that a person mistyped.
public enum Spelling {
  /// The largest number of suggestions.
  public static let suggestions = 3

  /// Returns the words that a mistyped word may stand for, most likely first.
  ///
  /// A word is suggested if it begins with the typed text, contains it, or differs from it by few
  /// keystrokes: one if the typed text has up to four letters, otherwise two. Case is ignored.
  public static func suggestions(for typed: String, among words: [String]) -> [String] {
    let typed = typed.lowercased()
    guard !typed.isEmpty, typed.count <= longestWord else { return [] }
    var seen: Set<String> = []
    let ranked = words.filter { seen.insert($0).inserted }.compactMap { word -> (rank: Int, word: String)? in
      rank(typed, word.lowercased()).map { ($0, word) }
    }
    return ranked.sorted { ($0.rank, $0.word) < ($1.rank, $1.word) }.prefix(suggestions).map(\.word)
  }

  /// Returns a question with the suggestions, such as "Did you mean Emma's PC?"; empty for none.
  public static func question(for typed: String, among words: [String], quote: (String) -> String = { $0 }) -> String {
    let found = suggestions(for: typed, among: words).map(quote)
    guard let last = found.last else { return "" }
    return "Did you mean " + (found.count == 1 ? last : found.dropLast().joined(separator: ", ") + " or " + last) + "?"
  }

  /// The longest word that is compared: the time grows with the square of its characters.
  private static let longestWord = 128

  private static func rank(_ typed: String, _ word: String) -> Int? {
    guard word.count <= longestWord else { return nil }
    let allowed = typed.count <= 4 ? 1 : 2
    let steps = distance(Array(typed), Array(word))
    if steps <= allowed { return steps }
    // Fewer than three letters occur in too many words.
    guard typed.count >= 3 else { return nil }
    if word.hasPrefix(typed) { return 10 }
    if word.contains(typed) { return 11 }
    // One of several words, such as "ema" for "Emma's PC".
    let parts = word.split { !$0.isLetter && !$0.isNumber }
    return parts.contains { distance(Array(typed), Array($0)) <= 1 } ? 12 : nil
  }

  /// Returns the number of insertions, deletions, replacements and swaps of neighbours.
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let cost = left[row] == right[column] ? 0 : 1
        var least = min(last[column + 1] + 1, current[column] + 1, last[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, before[column - 1] + 1)
        }
        current.append(least)
      }
      (before, last) = (last, current)
    }
    return last[right.count]
  }
}
