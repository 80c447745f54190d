/// Sentences of the form “fault: next step”.
enum Sentences {
  /// Part a sentence at its colon.
  static func split(_ sentence: String) -> (fault: String, next: String) {
    guard let colon = sentence.range(of: ": ") else { return (sentence, "") }
    let next = String(sentence[colon.upperBound...])
    return (sentence[..<colon.lowerBound] + ".", next.prefix(1).uppercased() + next.dropFirst())
  }
}
