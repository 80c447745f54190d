import Foundation
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests with a complete run of the typed code that another program computed from the
/// specification.
@Suite struct TypedCodeVectorTests {
  struct File: Decodable {
    struct Run: Decodable, Sendable {
      let discriminator: UInt16
      let secretValues: [UInt8]
      let text: String
      let joinerScalar: String
      let inviterScalar: String
      let sessionID: String
      let channelIdentifier: String
      let offer: String
      let answer: String
      let codeSecret: String
      let handshakeKey: String
      let prologue: String
    }
    struct Refused: Decodable {
      let text: String
      let failure: String
    }
    let runs: [Run]
    let readAlike: [String]
    let refused: [Refused]
  }

  private let file: File
  private var random = SeededRandom()

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Protocol/vectors")
    file = try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appending(path: "typed-code.json")))
  }

  private mutating func entropy(scalar: String, sessionID: String) throws -> PairingEntropy {
    var entropy = Samples.entropy(&random)
    entropy.scalar = try CPaceScalar(secret: SecretBytes(hex(scalar)))
    entropy.sessionID = hex(sessionID)
    return entropy
  }

  @Test mutating func bothSidesSayWhatTheVectorsSay() throws {
    #expect(file.runs.count >= 3)
    for run in file.runs {
      let code = TypedCode(discriminator: run.discriminator, secretValues: run.secretValues)
      #expect(code.text == run.text)
      let preamble = PairingCredential.typed(code).preamble
      #expect(PairingSecrets.channelIdentifier(preamble, joinerRole: .child) == hex(run.channelIdentifier))
      #expect(
        PairingSecrets.prologue(preamble, joinerRole: .child, exchange: hex(run.offer) + hex(run.answer))
          == hex(run.prologue))
      #expect(
        PairingSecrets.handshakeKey(secret: SecretBytes(hex(run.codeSecret)))
          == (try PresharedKey(bytes: hex(run.handshakeKey))))
      var joiner = PairingSide(
        PairingAttempt(
          joiner: Samples.party(.child, name: "C", &random), code: .typed(code),
          entropy: try entropy(scalar: run.joinerScalar, sessionID: run.sessionID), asksPerson: false))
      var inviter = PairingSide(
        PairingAttempt(
          inviter: Samples.party(.parent, name: "P", &random), code: .typed(code), joinerRole: .child,
          entropy: try entropy(scalar: run.inviterScalar, sessionID: run.sessionID), discoveryKey: random.bytes(32),
          asksPerson: false))
      inviter.receive(hex(run.offer))
      #expect(inviter.sent == [hex(run.answer)] && inviter.failures == 0)
      joiner.receive(hex(run.answer))
      #expect(joiner.runs == 1 && joiner.sent.count == 1 && joiner.outcomes.isEmpty)
      // Both sides have the same key: one reads what the other writes with it.
      inviter.receive(joiner.sent[0])
      #expect(inviter.failures == 0 && inviter.outcomes.isEmpty && inviter.sent.count == 2)
    }
  }

  @Test func textsAreReadOrRefusedAsTheVectorsSay() throws {
    let first = try #require(file.runs.first)
    #expect(!file.readAlike.isEmpty && !file.refused.isEmpty)
    for text in file.readAlike {
      guard case .typed(let code) = try PairingCredential(text) else {
        Issue.record("\(text) is a typed code")
        continue
      }
      #expect(code.text == first.text)
    }
    for entry in file.refused {
      let error = #expect(throws: PairingCodeError.self, "\(entry)") { try PairingCredential(entry.text) }
      #expect(error.map(Self.word) == entry.failure, "\(entry)")
    }
    #expect(Set(file.refused.map(\.failure)).count == 6)
  }

  /// Returns the name of a failure in Protocol/03-pairing.md §2.
  private static func word(_ error: PairingCodeError) -> String {
    switch error {
    case .empty: "empty"
    case .foreign: "foreign"
    case .truncated: "truncated"
    case .length: "length"
    case .typo, .mistyped: "typo"
    case .newer: "newer"
    }
  }
}
