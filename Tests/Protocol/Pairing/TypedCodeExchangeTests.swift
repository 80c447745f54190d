import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of the two frames that derive a strong key from a typed code, against peers that break the
/// rules.
@Suite struct TypedCodeExchangeTests {
  private var random = SeededRandom()
  private let code: TypedCode
  private var inviter: PairingSide
  private var joiner: PairingSide
  private let offer: [UInt8]

  init() {
    code = Samples.typedCode(&random)
    inviter = PairingSide(
      PairingAttempt(
        inviter: Samples.party(.parent, name: "P", &random), code: .typed(code), joinerRole: .child,
        entropy: Samples.entropy(&random), discoveryKey: random.bytes(32), asksPerson: true))
    let machine = PairingAttempt(
      joiner: Samples.party(.child, name: "C", &random), code: .typed(code), entropy: Samples.entropy(&random),
      asksPerson: false)
    offer = machine.opening
    joiner = PairingSide(machine)
  }

  /// Elements that CPace must refuse: no element at all, the neutral one, and one in a second
  /// encoding.
  private static let badShares: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1] + [UInt8](repeating: 0, count: 31),
    [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
  ]

  private static func versions(_ least: UInt8, _ greatest: UInt8) -> [UInt8] { [0, 0, 0, least, 0, 0, 0, greatest] }

  @Test(arguments: 0..<4) mutating func anInviterTakesNoBadShare(index: Int) {
    var inviter = inviter
    inviter.receive(Array(offer[..<16]) + Self.badShares[index] + Array(offer[48...]))
    #expect(inviter.failures == 1 && inviter.outcomes == [.wrongCode])
    #expect(inviter.sent == [PairingNotice.wrongCode.frame])
  }

  @Test(arguments: 0..<4) mutating func aJoinerTakesNoBadShare(index: Int) {
    joiner.receive(Self.badShares[index] + Self.versions(1, 1))
    #expect(joiner.outcomes == [.wrongCode] && joiner.sent.isEmpty && joiner.runs == 0)
  }

  @Test mutating func otherVersionsEndItWithoutAGuess() {
    var inviter = inviter
    inviter.receive(Array(offer[..<48]) + Self.versions(7, 9))
    #expect(inviter.failures == 0 && inviter.outcomes == [.version])
    #expect(inviter.sent == [PairingNotice.version.frame])
    var answering = self.inviter
    answering.receive(offer)
    joiner.receive(Array(answering.sent[0][..<32]) + Self.versions(7, 9))
    #expect(joiner.outcomes == [.version] && joiner.sent.isEmpty && joiner.runs == 0)
  }

  @Test mutating func aLaterVersionThatSpeaksThisOneIsAnswered() {
    var inviter = inviter
    inviter.receive(Array(offer[..<48]) + Self.versions(1, 9))
    #expect(inviter.failures == 0 && inviter.outcomes.isEmpty && inviter.sent.count == 1)
    joiner.receive(Array(inviter.sent[0][..<32]) + Self.versions(1, 9))
    #expect(joiner.outcomes.isEmpty && joiner.sent.count == 1)
  }

  /// The frames may have any length, and their versions in the wrong order.
  @Test mutating func malformedFramesAreWrongGuesses() {
    for bad in [[], random.bytes(1), Array(offer.dropLast()), offer + [0], Array(offer[..<48]) + Self.versions(2, 1)] {
      var side = inviter
      side.receive(bad)
      #expect(side.failures == 1 && side.outcomes == [.wrongCode], "\(bad.count) bytes")
    }
    for bad in [[], random.bytes(39), random.bytes(41), random.bytes(32) + Self.versions(2, 1)] {
      var side = joiner
      side.receive(bad)
      #expect(side.outcomes == [.wrongCode] && side.sent.isEmpty && side.runs == 0, "\(bad.count) bytes")
    }
  }

  /// No part of the exchange may be changed on its way: the name of the run, the shares, and the
  /// versions.
  @Test mutating func everyChangedBitEndsInAWrongCode() {
    for index in offer.indices {
      for bit in [0, 7] as [UInt8] {
        var changed = offer
        changed[index] ^= 1 << bit
        expectNoPairing(offer: changed, answer: nil, "byte \(index) of the offer")
      }
    }
    for index in 0..<40 { expectNoPairing(offer: offer, answer: index, "byte \(index) of the answer") }
  }

  private func expectNoPairing(offer: [UInt8], answer index: Int?, _ what: String) {
    var (inviter, joiner) = (inviter, joiner)
    inviter.receive(offer)
    guard inviter.outcomes.isEmpty else { return }
    var answer = inviter.sent[0]
    if let index { answer[index] ^= 1 }
    joiner.receive(answer)
    for frame in joiner.sent { inviter.receive(frame) }
    #expect(inviter.failures == (joiner.sent.isEmpty ? 0 : 1) && inviter.sent.count <= 2, "\(what)")
    #expect(inviter.questions.isEmpty && joiner.questions.isEmpty, "\(what)")
  }

  @Test mutating func aWrongSecretIsOneFailureAndOneRun() {
    var wrong = code
    wrong.secret = SecretBytes("ZZZZZZ".utf8.map { $0 })
    var rig = PairingRig(code: .typed(code), codeAtJoiner: .typed(wrong), isTyped: true, &random)
    rig.settle()
    #expect(rig.inviter.failures == 1 && rig.inviter.outcomes == [.wrongCode])
    #expect(rig.joiner.runs == 1 && rig.joiner.outcomes == [.wrongCode])
    #expect(rig.inviter.questions.isEmpty && rig.joiner.questions.isEmpty)
    #expect(rig.inviter.sent.count == 2, "an answer that says nothing, and a notice")
  }

  /// A peer that leaves after the answer learns nothing, and is not counted as a guess.
  @Test mutating func whoLeavesAfterTheAnswerHasGuessedNothing() {
    inviter.receive(offer)
    inviter.lose()
    #expect(inviter.failures == 0 && inviter.outcomes == [.network])
  }

  /// A long secret with the same number is not valid in the typed exchange, nor the other way
  /// round.
  @Test mutating func theTwoWaysDoNotMix() {
    let party = Samples.party(.parent, name: "P", &random)
    let pasted = Samples.code(of: party, &random)
    let machine = PairingAttempt(
      joiner: Samples.party(.child, name: "C", &random), code: .pasted(pasted), entropy: Samples.entropy(&random),
      asksPerson: false)
    inviter.receive(machine.opening)
    #expect(inviter.failures == 1 && inviter.outcomes == [.wrongCode])
    var other = PairingSide(
      PairingAttempt(
        inviter: party, code: .pasted(pasted), joinerRole: .child, entropy: Samples.entropy(&random),
        discoveryKey: random.bytes(32), asksPerson: true))
    other.receive(offer)
    #expect(other.failures == 1 && other.outcomes == [.wrongCode])
  }

  /// A typed code commits to no keys, so any keys of the inviter are accepted; only the code
  /// vouches for them.
  @Test mutating func nobodyButWhoKnowsTheCodeGetsAnywhere() throws {
    inviter.receive(offer)
    joiner.receive(inviter.sent[0])
    let message = try #require(joiner.sent.first)
    var replayed = self.inviter
    replayed.receive(message)
    #expect(replayed.failures == 0 && replayed.sent.count == 2)
    // The same frames at another attempt: another share answers, so the recording is useless.
    var later = PairingSide(
      PairingAttempt(
        inviter: Samples.party(.parent, name: "P", &random), code: .typed(code), joinerRole: .child,
        entropy: Samples.entropy(&random), discoveryKey: random.bytes(32), asksPerson: true))
    later.receive(offer)
    later.receive(message)
    #expect(later.failures == 1 && later.outcomes == [.wrongCode])
  }
}
