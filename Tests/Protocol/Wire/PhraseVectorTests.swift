import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of reasons with phrases, with the results of an independent implementation:
/// Protocol/vectors/phrases.json.
@Suite struct PhraseVectorTests {
  private struct File: Decodable {
    struct Receipt: Decodable {
      let body: String
      let reason: String
      /// The phrase; `nil` if there is none, or if it is passed over.
      let phrase: Phrase?
    }
    let receipts: [Receipt]
  }

  private let coding = MessageBodyCoding()
  private let receipts: [File.Receipt]

  init() throws {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let bytes = try Data(contentsOf: folder.appendingPathComponent("Protocol/vectors/phrases.json"))
    receipts = try JSONDecoder().decode(File.self, from: bytes).receipts
  }

  @Test func phrasesAreReadWrittenAndPassedOverAsInTheVectors() throws {
    #expect(receipts.contains { $0.phrase == nil } && receipts.contains { $0.phrase != nil })
    for given in receipts {
      let body = try #require(Hexadecimal.decode(given.body))
      let receipt = try coding.receipt(body)
      guard case .failed(let told) = receipt.outcome else {
        Issue.record("\(given.reason)")
        continue
      }
      #expect(told.english == given.reason && told.phrase == given.phrase, "\(given.body.prefix(120))")
      if given.phrase != nil { #expect(coding.encode(receipt) == body) }
    }
  }

  @Test("A phrase with a million words is not put into words")
  func bombs() throws {
    var phrase = RawMessage().adding(1, text: "x")
    for _ in 0..<3 {
      phrase = RawMessage().adding(1, text: String(repeating: "{x}", count: 300))
        .adding(4, message: RawMessage().adding(1, text: "x").adding(4, message: phrase))
    }
    let body = RawMessage().adding(1, bytes: [UInt8](repeating: 1, count: 16)).adding(2, number: 2)
      .adding(3, text: "x").adding(6, message: phrase)
    guard case .failed(let told) = try coding.receipt(body.bytes).outcome else {
      Issue.record("the outcome changed")
      return
    }
    #expect(told == ToldSentence(english: "x"))
  }

  @Test func whatAMessageCannotCarryGoesInEnglish() throws {
    for phrase in [
      Phrase("{who} wait", ["who": .list(["A", "B"])]), Phrase("{x}", ["x": "a\u{202E}b"]),
      Phrase("{x}", ["x": .text(String(repeating: "y", count: 1_025))]),
    ] {
      let receipt = CommandReceipt(
        commandID: try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16))),
        outcome: .failed(reason: ToldSentence(phrase)), at: 0)
      guard case .failed(let told) = try coding.receipt(coding.encode(receipt)).outcome else {
        Issue.record("the outcome changed")
        return
      }
      #expect(told.phrase == nil && told.english == TextRule.reason.cleaned(phrase.worded()))
    }
  }
}
