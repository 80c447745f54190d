import Testing

@testable import LatchkeyModel

/// Tests of the suggestions for a mistyped word.
@Suite struct SpellingTests {
  private static let words = ["status", "settings", "sync", "app", "apps", "usage", "commands", "devices"]

  @Test(arguments: [
    ("stauts", ["status"]), ("statu", ["status"]), ("STATUS", ["status"]), ("apss", ["apps"]),
    ("comands", ["commands"]), ("device", ["devices"]), ("snyc", ["sync"]), ("usgae", ["usage"]), ("frobnicate", []),
    ("", []), ("x", []), ("set", ["settings"]),
  ])
  func theLikeliestComesFirst(typed: String, expected: [String]) {
    #expect(Spelling.suggestions(for: typed, among: Self.words) == expected)
  }

  @Test func thereAreFewSuggestionsAndEachOnce() {
    let words = (0..<100).map { "name\($0 % 50)" }
    let found = Spelling.suggestions(for: "name", among: words)
    #expect(found.count == Spelling.suggestions && Set(found).count == found.count)
  }

  @Test func whatIsVeryLongIsNotCompared() {
    #expect(Spelling.suggestions(for: String(repeating: "a", count: 100_000), among: Self.words).isEmpty)
    #expect(Spelling.suggestions(for: "aaa", among: [String(repeating: "a", count: 100_000)]).isEmpty)
  }

  @Test(arguments: [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("abc", "abd", 1), ("kitten", "sitting", 3)])
  func theDistanceCountsKeystrokes(left: String, right: String, steps: Int) {
    #expect(Spelling.distance(Array(left), Array(right)) == steps)
    #expect(Spelling.distance(Array(right), Array(left)) == steps)
  }

  @Test func theQuestionNamesThemAll() {
    #expect(Spelling.question(for: "stauts", among: Self.words) { "`\($0)`" } == "Did you mean `status`?")
    #expect(Spelling.question(for: "apss", among: Self.words) == "Did you mean apps?")
    #expect(Spelling.question(for: "zzz", among: Self.words).isEmpty)
  }
}
