import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests of the inviter against a joiner that knows the code and breaks the rules.
@Suite struct PairingInviterTests {
  private var random = SeededRandom()
  private var side: PairingSide
  private var peer: ScriptedPairing

  init() throws {
    let inviter = Samples.party(.parent, name: "Kitchen laptop", &random)
    let code = Samples.code(of: inviter, &random)
    side = PairingSide(
      PairingAttempt(
        inviter: inviter, code: .pasted(code), joinerRole: .child, entropy: Samples.entropy(&random),
        discoveryKey: random.bytes(32), asksPerson: true))
    peer = try ScriptedPairing(
      .initiator, party: Samples.party(.child, name: "Emma's PC", &random), code: code, &random)
  }

  private mutating func open(_ payload: [UInt8]? = nil) throws {
    side.receive(try peer.write(payload ?? PairingCodec.encode(PairingOpening(commitment: peer.commitment))))
    if side.outcomes.isEmpty { _ = try peer.read(side.outgoing.removeFirst()) }
  }

  private mutating func introduce(
    laterFields: RawMessage = RawMessage(), _ change: (inout PairingIntroduction) -> Void = { _ in }
  ) throws {
    try open()
    var introduction = peer.introduction
    change(&introduction)
    side.receive(try peer.write(PairingCodec.encode(introduction) + laterFields.bytes))
  }

  private mutating func prove() throws {
    try introduce()
    side.receive(try peer.seal(peer.proof(isInviter: false)))
    _ = try peer.open(side.outgoing.removeFirst())
  }

  private func expectNothing(_ outcome: PairingOutcome, failures: Int = 0) {
    #expect(side.outcomes == [outcome] && side.failures == failures)
    #expect(side.kept == .nothing && side.storing == nil && side.faults.isEmpty)
  }

  @Test mutating func anHonestScriptPairs() throws {
    try prove()
    #expect(side.questions.map(\.name) == ["Emma's PC"])
    side.accept()
    side.store()
    guard case .commit(let key) = try peer.open(side.outgoing.removeFirst()) else {
      Issue.record("no commit")
      return
    }
    #expect(key.count == 32)
    side.receive(try peer.seal(.commitAcknowledged))
    side.promote()
    #expect(try peer.open(side.outgoing.removeFirst()) == .done)
    #expect(side.outcomes == [.ok] && side.kept == .active)
  }

  @Test(arguments: [2...3, 0...0, 9...4_000_000_000] as [ClosedRange<UInt32>])
  mutating func otherVersionsAreToldSo(versions: ClosedRange<UInt32>) throws {
    try introduce { $0.versions = versions }
    #expect(try peer.open(side.outgoing.removeFirst()) == .abort(.version))
    expectNothing(.version)
    #expect(side.questions.isEmpty)
  }

  @Test mutating func aLaterVersionThatSpeaksThisOneIsShownToThePerson() throws {
    try introduce(laterFields: RawMessage().adding(90, text: "later")) { $0.versions = 1...9 }
    side.receive(try peer.seal(peer.proof(isInviter: false)))
    #expect(side.questions.map(\.name) == ["Emma's PC"] && side.outcomes.isEmpty)
  }

  @Test mutating func onlyChildrenJoin() throws {
    try introduce { $0.role = .parent }
    #expect(try peer.open(side.outgoing.removeFirst()) == .abort(.refused))
    // The outcome is not a refusal: no person has said no, and the code stays open.
    expectNothing(.network)
    #expect(side.questions.isEmpty)
  }

  /// The joiner introduces other keys, or another random number, than it committed to.
  ///
  /// It may have searched for digits that fit.
  @Test(arguments: [0, 1]) mutating func whatIsIntroducedHasToBeWhatWasCommitted(which: Int) throws {
    let other = random.bytes(32)
    try introduce { if which == 0 { $0.random = other } else { $0.identityKey = other } }
    expectNothing(.wrongCode, failures: 1)
    #expect(side.questions.isEmpty)
  }

  @Test mutating func aPayloadThatIsNoMessageIsRefused() throws {
    try open([0xFF])
    expectNothing(.wrongCode, failures: 1)
  }

  @Test mutating func anIntroductionThatIsNoMessageIsRefused() throws {
    try open()
    side.receive(try peer.write([0xFF]))
    expectNothing(.wrongCode, failures: 1)
  }

  @Test(arguments: [0, 1, 2, 3]) mutating func aProofOfSomethingElseIsRefused(which: Int) throws {
    try introduce()
    let step: PairingStep =
      switch which {
      case 0: peer.proof(isInviter: true)
      case 1: peer.proof(isInviter: false, by: try IdentityKeyPair(seed: SecretBytes(random.bytes(32))))
      case 2: .proof(signature: random.bytes(64))
      default: .proof(signature: [UInt8](repeating: 0, count: 64))
      }
    side.receive(try peer.seal(step))
    expectNothing(.network)
    #expect(side.questions.isEmpty)
  }

  @Test mutating func aJoinerWithoutAnIdentityProvesNothing() throws {
    let nobody = [UInt8](repeating: 0, count: 32)
    let link = peer.party.keys.link
    let keys = DeviceKeys(identity: try IdentityPublicKey(bytes: nobody), link: link)
    try open(
      PairingCodec.encode(PairingOpening(commitment: PairingSecrets.joinerCommitment(keys: keys, random: peer.random))))
    var introduction = peer.introduction
    introduction.identityKey = nobody
    side.receive(try peer.write(PairingCodec.encode(introduction)))
    side.receive(try peer.seal(.proof(signature: nobody + nobody)))
    expectNothing(.network)
  }

  @Test(
    arguments: [.commit(discoveryKey: [UInt8](repeating: 1, count: 32)), .commitAcknowledged, .done] as [PairingStep])
  mutating func stepsBeforeTheProofAreRefused(step: PairingStep) throws {
    try introduce()
    side.receive(try peer.seal(step))
    expectNothing(.network)
  }

  @Test(
    arguments: [
      .commit(discoveryKey: [UInt8](repeating: 1, count: 32)), .commitAcknowledged, .done,
      .proof(signature: [UInt8](repeating: 1, count: 64)),
    ] as [PairingStep])
  mutating func stepsBeforeTheAnswerAreRefused(step: PairingStep) throws {
    try prove()
    side.receive(try peer.seal(step))
    expectNothing(.network)
  }

  @Test(
    arguments: [
      .commit(discoveryKey: [UInt8](repeating: 1, count: 32)), .done,
      .proof(signature: [UInt8](repeating: 1, count: 64)),
    ] as [PairingStep])
  mutating func stepsInsteadOfTheAcknowledgementAreRefused(step: PairingStep) throws {
    try prove()
    side.accept()
    side.store()
    side.receive(try peer.seal(step))
    expectNothing(.network)
    #expect(side.discards == 1)
  }

  @Test(arguments: [
    (PairingOutcome.refused, PairingOutcome.refused), (.cancelled, .cancelled), (.alreadyPaired, .alreadyPaired),
    (.ok, .refused),
  ])
  mutating func anAbortEndsItWithItsOutcomeAndNeverWithSuccess(said: PairingOutcome, outcome: PairingOutcome) throws {
    try prove()
    side.accept()
    side.store()
    side.receive(try peer.seal(.abort(said)))
    expectNothing(outcome)
    #expect(side.discards == 1)
  }
}
