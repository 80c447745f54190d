import Foundation
import Testing

@testable import LatchkeyModel

@Suite struct ToldSentenceTests {
  private static let late = PendingEffect.late(EffectWait("the agent", within: 0))

  @Test func aSentenceIsReadInTheLanguageOfTheReader() throws {
    let german = try #require(Language.named("de"))
    guard case .failed(let told) = Self.late else {
      Issue.record("it did not fail")
      return
    }
    #expect(told.worded().hasPrefix("It waited for the agent for longer than it may: look at that machine"))
    #expect(told.worded(in: german).hasPrefix("Es hat länger als erlaubt auf den Agenten gewartet:"))
    #expect(!told.worded(in: .pseudo).contains("agent"))
  }

  @Test func whatTheReaderDoesNotKnowIsTheEnglishSentence() throws {
    let german = try #require(Language.named("de"))
    let unknown = Phrase("Tomorrow's sentence of {what}.", ["what": .phrase("the agent")])
    #expect(ToldSentence(unknown).worded(in: german) == "Tomorrow's sentence of the agent.")
    let within = Phrase(
      "It waited for {what} for longer than it may: look at that machine, and give the command again.",
      ["what": .phrase("tomorrow's thing")])
    #expect(ToldSentence(within).worded(in: german) == within.worded(), "no sentence of two languages")
    #expect(german.has(Phrase(verbatim: "Emma")) && !german.has("Emma's"))
  }

  @Test("A phrase that says something else, or has no argument for a place of the translation, is not shown")
  func hostile() throws {
    let german = try #require(Language.named("de"))
    #expect(ToldSentence(english: "No.", phrase: "the agent") == ToldSentence(english: "No."))
    let bare = Phrase("{count} day ago")
    #expect(ToldSentence(english: "{count} day ago", phrase: bare).phrase == nil)
    // The translation is one with a number, which this has not.
    #expect(!german.has(Phrase("{count} day ago", ["x": "y"])))
    let named = ToldSentence(Phrase("{machine} has lost data, so this is sent again.", ["machine": "<b>{machine}"]))
    #expect(named.worded(in: german) == "<b>{machine} hat Daten verloren, deshalb wird das noch einmal geschickt.")
  }

  @Test func aReceiptIsReadAndWrittenAsJSON() throws {
    let id = try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16)))
    for outcome in [
      CommandReceipt.Outcome.failed(reason: ToldSentence(english: "No.")), .failed(reason: "No."),
      .underWay(waitsFor: "the agent"),
    ] {
      let receipt = CommandReceipt(commandID: id, outcome: outcome, at: 1)
      #expect(try JSONDecoder().decode(CommandReceipt.self, from: JSONEncoder().encode(receipt)) == receipt)
    }
  }
}
