import Foundation
import Testing

@testable import LatchkeyModel

@Suite struct PhraseTests {
  @Test func placesTakeTheirArguments() {
    let phrase = Phrase("{child} has {time} left.", ["child": "Emma {time}", "time": .phrase("5 min")])
    #expect(phrase.worded() == "Emma {time} has 5 min left.", "What a person is called is no text with places.")
    #expect(Phrase("{unknown} and {").worded() == "{unknown} and {")
    #expect(Phrase("{who}", ["who": .list(["A", "B", "C"])]).worded() == "A, B and C")
    #expect(Phrase("{who}", ["who": .list(["A"])]).worded() == "A")
  }

  @Test(arguments: [(0, "0 days"), (1, "1 day"), (2, "2 days"), (-1, "-1 days")])
  func aNumberChoosesTheText(count: Int, words: String) {
    #expect(Phrase(one: "{count} day", other: "{count} days", count: count).worded() == words)
  }

  @Test func anotherMachinesPhraseIsReadWithItsEnglishWords() throws {
    let phrase = Phrase(
      one: "{count} of {apps}: {why}", other: "{count} times {apps}: {why}", count: 3,
      ["apps": .list(["Chess", .number(2)]), "why": .phrase(Phrase("bedtime, {child}", ["child": "Zoe"]))])
    let json = try JSONEncoder().encode(phrase)
    let fields = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(fields["sentence"] as? String == "3 times Chess and 2: bedtime, Zoe")
    #expect(try JSONDecoder().decode(Phrase.self, from: json) == phrase)
  }

  @Test func aPhraseThatIsNestedTooDeeplyIsRefused() throws {
    var phrase = Phrase("end")
    for _ in 1..<Phrase.deepest { phrase = Phrase("{a}", ["a": .phrase(phrase)]) }
    #expect(try JSONDecoder().decode(Phrase.self, from: JSONEncoder().encode(phrase)) == phrase)
    phrase = Phrase("{a}", ["a": .phrase(phrase)])
    let json = try JSONEncoder().encode(phrase)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Phrase.self, from: json) }
  }
}
