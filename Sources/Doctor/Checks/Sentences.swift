/// Sentences of the form “fault: next step.”
enum Sentences {
  /// Part a sentence at its colon.
  static func split(_ sentence: String) -> (fault: String, next: String) {
    guard let colon = sentence.range(of: ": ") else { return (sentence, "") }
    let next = String(sentence[colon.upperBound...])
    return (sentence[..<colon.lowerBound] + ".", next.prefix(1).uppercased() + next.dropFirst())
  }

  /// A span of milliseconds in its greatest unit, rounded down.
  static func span(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1_000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3_600) h"
    default: return seconds / 86_400 == 1 ? "1 day" : "\(seconds / 86_400) days"
    }
  }
}
