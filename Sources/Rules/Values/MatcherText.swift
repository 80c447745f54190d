import LatchkeyModel

/// An application's matchers as text: a line for each, with its kind, a space and its value.
enum MatcherText {
  static func read(_ text: String) throws(RuleFault) -> [AppMatcher] {
    var matchers: [AppMatcher] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = AppMatcher.Kind(rawValue: String(parts[0])) else {
        let kinds = AppMatcher.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RuleFault(
          Phrase(
            "A matcher is a kind, a space and a value: give one of the kinds {kinds}.", ["kinds": .text(kinds)]))
      }
      let matcher = AppMatcher(kind: kind, value: String(parts[1]))
      if let fault = TextRule.matcherValue.faultPhrase(in: matcher.value) { throw RuleFault(fault) }
      matchers.append(matcher)
      guard matchers.count <= 64 else { throw RuleFault("An application takes at most 64 matchers: leave out some.") }
    }
    guard matchers.reduce(0, { $0 + $1.value.utf8.count }) <= 16_384 else {
      throw RuleFault(
        "The values of an application's matchers must have at most 16,384 bytes together: leave out some.")
    }
    return matchers
  }

  static func text(_ matchers: [AppMatcher]) -> String {
    matchers.map { "\($0.kind.rawValue) \($0.value)" }.joined(separator: "\n")
  }
}
