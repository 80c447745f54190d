import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of the joiner against an inviter that knows the code and breaks the rules.
@Suite struct PairingJoinerTests {
  private var random = SeededRandom()
  private var side: PairingSide
  private var peer: ScriptedPairing

  init() throws {
    let inviter = Samples.party(.parent, name: "Kitchen laptop", &random)
    let code = Samples.code(of: inviter, &random)
    let machine = PairingAttempt(
      joiner: Samples.party(.child, name: "Emma's PC", &random), code: .pasted(code), entropy: Samples.entropy(&random),
      asksPerson: false)
    side = PairingSide(machine)
    peer = try ScriptedPairing(.responder, party: inviter, code: code, &random)
    _ = try peer.read(machine.opening)
  }

  private mutating func introduce(
    laterFields: RawMessage = RawMessage(), _ change: (inout PairingIntroduction) -> Void = { _ in }
  ) throws {
    var introduction = peer.introduction
    change(&introduction)
    side.receive(try peer.write(PairingCodec.encode(introduction) + laterFields.bytes))
    if side.outcomes.isEmpty {
      _ = try peer.read(side.outgoing.removeFirst())
      _ = try peer.open(side.outgoing.removeFirst())
    }
  }

  private mutating func prove() throws {
    try introduce()
    side.receive(try peer.seal(peer.proof(isInviter: true)))
  }

  private func expectNothing(_ outcome: PairingOutcome) {
    #expect(side.outcomes == [outcome])
    #expect(side.kept == .nothing && side.storing == nil && side.faults.isEmpty)
  }

  private var hasMetInviter: Bool { side.machine.hasMetInviter }

  @Test mutating func anHonestScriptPairs() throws {
    #expect(hasMetInviter == false)
    try prove()
    #expect(hasMetInviter == true)
    let key = random.bytes(32)
    side.receive(try peer.seal(.commit(discoveryKey: key)))
    side.store()
    #expect(try peer.open(side.outgoing.removeFirst()) == .commitAcknowledged)
    side.receive(try peer.seal(.done))
    side.promote()
    #expect(side.outcomes == [.ok] && side.active?.discoveryKey == key)
  }

  /// Any machine can send these notices in the clear.
  @Test(arguments: [
    (PairingNotice.wrongCode, PairingOutcome.wrongCode), (.busy, .busy), (.version, .version),
  ])
  mutating func aNoticeInsteadOfTheFirstAnswerEndsIt(notice: PairingNotice, outcome: PairingOutcome) {
    side.receive(notice.frame)
    expectNothing(outcome)
    #expect(hasMetInviter == false, "whoever else sent it is no reason to stop looking for the inviter")
  }

  @Test(arguments: [[0, 0], [0, 4], [0, 255], [1, 1], [0, 1, 0], [1]] as [[UInt8]])
  mutating func otherFramesAreNoNotice(frame: [UInt8]) {
    #expect(PairingNotice(frame: frame) == nil)
    side.receive(frame)
    expectNothing(.wrongCode)
    #expect(hasMetInviter == false)
  }

  @Test mutating func silenceIsACodeThatIsNotOpen() {
    side.lose()
    expectNothing(.expired)
    #expect(hasMetInviter == false)
  }

  /// The inviter did not accept the third message.
  @Test mutating func aNoticeAfterTheIntroductionEndsIt() throws {
    try introduce()
    side.receive(PairingNotice.wrongCode.frame)
    expectNothing(.wrongCode)
    #expect(hasMetInviter == true)
  }

  /// From the first step on, unencrypted bytes are ignored as noise.
  @Test mutating func aNoticeAfterTheProofIsNoNotice() throws {
    try prove()
    side.receive(PairingNotice.wrongCode.frame)
    expectNothing(.network)
  }

  @Test(arguments: [2...3, 0...0] as [ClosedRange<UInt32>])
  mutating func otherVersionsEndIt(versions: ClosedRange<UInt32>) throws {
    try introduce { $0.versions = versions }
    expectNothing(.version)
    #expect(side.sent.isEmpty, "nothing of ours but a hash was told")
  }

  @Test mutating func aLaterVersionThatSpeaksThisOneIsBelieved() throws {
    try introduce(laterFields: RawMessage().adding(90, text: "later")) { $0.versions = 1...9 }
    side.receive(try peer.seal(peer.proof(isInviter: true)))
    #expect(side.outcomes.isEmpty && hasMetInviter == true)
  }

  @Test mutating func otherKeysThanTheCodesEndIt() throws {
    let other = random.bytes(32)
    try introduce { $0.identityKey = other }
    expectNothing(.wrongCode)
    #expect(side.sent.isEmpty, "nothing of ours but a hash was told")
  }

  @Test mutating func aPayloadThatIsNoMessageEndsIt() throws {
    side.receive(try peer.write([0xFF]))
    expectNothing(.wrongCode)
    #expect(side.sent.isEmpty)
  }

  @Test mutating func aNameIsMadeSafeToShow() throws {
    try introduce { $0.name = "\u{1B}[2JMum\u{202E}" + String(repeating: "x", count: 200) }
    side.receive(try peer.seal(peer.proof(isInviter: true)))
    let name = try #require(side.questions.first?.name)
    #expect(name.hasPrefix("\u{FFFD}[2JMum\u{FFFD}xx") && name.utf8.count <= 64)
  }

  @Test(arguments: [0, 1, 2]) mutating func aProofOfSomethingElseIsRefused(which: Int) throws {
    try introduce()
    let step: PairingStep =
      switch which {
      case 0: peer.proof(isInviter: false)
      case 1: peer.proof(isInviter: true, by: try IdentityKeyPair(seed: SecretBytes(random.bytes(32))))
      default: .proof(signature: random.bytes(64))
      }
    side.receive(try peer.seal(step))
    expectNothing(.network)
    #expect(side.questions.isEmpty)
  }

  @Test(
    arguments: [.commit(discoveryKey: [UInt8](repeating: 1, count: 32)), .commitAcknowledged, .done] as [PairingStep])
  mutating func stepsBeforeTheProofAreRefused(step: PairingStep) throws {
    try introduce()
    side.receive(try peer.seal(step))
    expectNothing(.network)
    #expect(side.questions.isEmpty)
  }

  @Test(arguments: [.proof(signature: [UInt8](repeating: 1, count: 64)), .commitAcknowledged, .done] as [PairingStep])
  mutating func stepsInsteadOfTheCommitAreRefused(step: PairingStep) throws {
    try prove()
    side.receive(try peer.seal(step))
    expectNothing(.network)
  }

  @Test(
    arguments: [
      .proof(signature: [UInt8](repeating: 1, count: 64)), .commitAcknowledged,
      .commit(discoveryKey: [UInt8](repeating: 1, count: 32)),
    ] as [PairingStep])
  mutating func stepsInsteadOfTheLastLeaveItPending(step: PairingStep) throws {
    try prove()
    side.receive(try peer.seal(.commit(discoveryKey: random.bytes(32))))
    side.store()
    side.receive(try peer.seal(step))
    #expect(side.outcomes == [.network] && side.kept == .pending)
  }

  @Test(arguments: [
    (PairingOutcome.refused, PairingOutcome.refused), (.expired, .expired), (.alreadyPaired, .alreadyPaired),
    (.ok, .refused),
  ])
  mutating func anAbortEndsItWithItsOutcomeAndNeverWithSuccess(said: PairingOutcome, outcome: PairingOutcome) throws {
    for stage in 0...3 {
      var copy = self
      switch stage {
      case 0: try copy.introduce()
      case 1: try copy.prove()
      default:
        try copy.prove()
        copy.side.receive(try copy.peer.seal(.commit(discoveryKey: copy.random.bytes(32))))
        if stage == 3 { copy.side.store() }
      }
      copy.side.receive(try copy.peer.seal(.abort(said)))
      copy.expectNothing(outcome)
    }
  }
}
