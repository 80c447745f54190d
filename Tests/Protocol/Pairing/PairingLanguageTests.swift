import LatchkeyModel
import Testing

@testable import LatchkeyProtocol

/// Tests that how a pairing goes and ends is told in the reader's language.
@Suite struct PairingLanguageTests {
  @Test func everySentenceIsInGerman() throws {
    let german = try #require(Language.named("de"))
    let hints: [JoinHint] = [
      .saidToBeWrong, .otherCodes(own: "7Q", open: ["KX"]), .otherCodes(own: "7Q", open: ["KX", "N5"]),
    ]
    var phrases = hints.flatMap { [$0.sentence, $0.endSentence] }
    for outcome in PairingOutcome.allCases {
      phrases += [
        outcome.phrase, outcome.goneSentence, outcome.inviterSentence, outcome.joinerSentence(wasLeftHere: true),
        outcome.joinerSentence(wasLeftHere: false, hint: hints[1]),
      ]
    }
    for phrase in phrases {
      #expect(german.has(phrase) && phrase.worded(in: german) != phrase.worded(), "\(phrase.text)")
    }
    #expect(phrases[2].worded().contains("the code that is open here begins with KX."))
    #expect(phrases[4].worded(in: german).contains("die Codes, die hier offen sind, fangen mit KX, N5 an."))
  }
}
