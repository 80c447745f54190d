import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct PairingTests {
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)], [false, true])
  func twoMachinesPair(asks: (inviter: Bool, joiner: Bool), isTyped: Bool) throws {
    let (inviterAsks, joinerAsks) = asks
    var random = SeededRandom()
    var rig = PairingRig(inviterAsks: inviterAsks, joinerAsks: joinerAsks, isTyped: isTyped, &random)
    rig.settle()
    if inviterAsks {
      #expect(
        rig.inviter.outcomes.isEmpty && rig.inviter.kept == .nothing, "nothing happens before the person says yes")
      rig.inviter.accept()
      rig.settle()
    }
    if joinerAsks {
      #expect(rig.joiner.outcomes.isEmpty && rig.joiner.kept == .nothing, "nothing happens before the person says yes")
      rig.joiner.accept()
      rig.settle()
    }
    #expect(rig.faults.isEmpty)
    #expect(rig.inviter.outcomes == [.ok] && rig.joiner.outcomes == [.ok])
    #expect(rig.joiner.runs == 0, "a run that the inviter answered is no guess")
    #expect(rig.inviter.failures == 0 && rig.inviter.discards == 0 && rig.joiner.discards == 0)
    let joiner = try #require(rig.inviter.active)
    let inviter = try #require(rig.joiner.active)
    #expect(joiner.keys == rig.joinerParty.keys && inviter.keys == rig.inviterParty.keys)
    #expect(joiner.name.text == "Emma's PC" && joiner.role == .child)
    #expect(inviter.name.text == "Kitchen laptop" && inviter.role == .parent)
    #expect(joiner.pairwiseKey == inviter.pairwiseKey)
    #expect(joiner.discoveryKey == nil && inviter.discoveryKey == rig.discoveryKey)
    let asked = try #require(rig.inviter.questions.first)
    #expect(rig.inviter.questions == [.init(name: "Emma's PC", role: .child, digits: asked.digits)])
    #expect(rig.joiner.questions == [.init(name: "Kitchen laptop", role: .parent, digits: asked.digits)])
    #expect(asked.digits.count == 6 && asked.digits.allSatisfy { $0.isASCII && $0.isNumber })
  }

  @Test func thePersonHereMayAcceptBeforeTheOther() {
    var random = SeededRandom()
    var rig = PairingRig(&random)
    rig.settle()
    rig.joiner.accept()
    #expect(rig.joiner.kept == .nothing)
    rig.inviter.accept()
    rig.settle()
    #expect(rig.inviter.outcomes == [.ok] && rig.joiner.outcomes == [.ok])
  }

  @Test func theFirstFrameNamesTheCodeAndNobody() throws {
    var random = SeededRandom()
    let party = Samples.party(.child, name: "Emma's PC", &random)
    let code = Samples.code(of: Samples.party(.parent, name: "Kitchen laptop", &random), &random)
    let machine = PairingAttempt(
      joiner: party, code: .pasted(code), entropy: Samples.entropy(&random), asksPerson: false)
    #expect(PairingCredential.pasted(code).preamble == .pairing(discriminator: code.discriminator))
    for known in [party.keys.identity.bytes, party.keys.link.bytes, Array("Emma".utf8)] {
      #expect(machine.opening.firstRange(of: known) == nil)
    }
  }

  /// The same two machines use the same code twice; nothing of one pairing is valid in the other.
  @Test(arguments: [false, true]) func eachPairingHasAKeyAndDigitsOfItsOwn(isTyped: Bool) throws {
    var random = SeededRandom()
    var first = PairingRig(inviterAsks: false, joinerAsks: false, isTyped: isTyped, &random)
    var second = PairingRig(
      inviterAsks: false, joinerAsks: false, parties: (first.inviterParty, first.joinerParty), code: first.code, &random
    )
    first.settle()
    second.settle()
    #expect(first.inviter.outcomes == [.ok] && second.inviter.outcomes == [.ok])
    #expect(first.inviter.active?.pairwiseKey != second.inviter.active?.pairwiseKey)
    #expect(first.inviter.questions.first?.digits != second.inviter.questions.first?.digits)
    #expect(Set(first.inviter.sent + first.joiner.sent).isDisjoint(with: second.inviter.sent + second.joiner.sent))
  }

  @Test func aWrongSecretIsOneFailureAndTellsNothing() throws {
    var random = SeededRandom()
    let parties = (Samples.party(.parent, name: "P", &random), Samples.party(.child, name: "C", &random))
    var guess = Samples.code(of: parties.0, &random)
    let code = guess
    guess.secret = SecretBytes(random.bytes(16))
    var rig = PairingRig(parties: parties, code: .pasted(code), codeAtJoiner: .pasted(guess), &random)
    rig.settle()
    #expect(rig.inviter.failures == 1 && rig.inviter.outcomes == [.wrongCode])
    #expect(rig.inviter.sent == [PairingNotice.wrongCode.frame], "a prober never sees who it is")
    #expect(rig.joiner.outcomes == [.wrongCode] && rig.joiner.sent.count == 1)
    #expect(rig.inviter.kept == .nothing && rig.joiner.kept == .nothing && rig.inviter.questions.isEmpty)
  }

  @Test func aCodeForAnotherNumberIsRefused() {
    var random = SeededRandom()
    let parties = (Samples.party(.parent, name: "P", &random), Samples.party(.child, name: "C", &random))
    let code = Samples.code(of: parties.0, &random)
    var other = code
    other.discriminator = (code.discriminator + 1) % 1_024
    var rig = PairingRig(parties: parties, code: .pasted(code), codeAtJoiner: .pasted(other), &random)
    rig.settle()
    #expect(rig.inviter.outcomes == [.wrongCode] && rig.joiner.outcomes == [.wrongCode])
  }

  /// An attacker who knows the secret acts as the inviter with its own keys.
  @Test func aJoinerDoesNotRevealItselfToOtherKeys() {
    var random = SeededRandom()
    let inviter = Samples.party(.parent, name: "P", &random)
    let code = Samples.code(of: inviter, &random)
    let poser = Samples.party(.parent, name: "P", &random)
    var onlyIdentity = poser
    onlyIdentity.link = inviter.link
    var onlyLink = poser
    onlyLink.identity = inviter.identity
    for party in [poser, onlyIdentity, onlyLink] {
      let joiner = Samples.party(.child, name: "C", &random)
      var rig = PairingRig(parties: (party, joiner), code: .pasted(code), &random)
      rig.settle()
      #expect(rig.joiner.outcomes == [.wrongCode])
      #expect(rig.joiner.sent.count == 1, "nothing but the hash of its keys was ever sent")
      #expect(rig.joiner.questions.isEmpty && rig.joiner.kept == .nothing)
      rig.inviter.lose()
      #expect(rig.inviter.outcomes == [.network] && rig.inviter.kept == .nothing && rig.inviter.questions.isEmpty)
    }
  }

  /// An attacker between the machines knows the code, and has replaced the commitment in the text
  /// that the joiner gets.
  @Test func digitsDifferWithAManInTheMiddle() throws {
    var random = SeededRandom()
    let man = Samples.party(.parent, name: "P", &random)
    var toInviter = PairingRig(&random)
    guard case .pasted(var changed) = toInviter.code else { return }
    changed.commitment = man.keys.codeCommitment
    var manAsJoiner = man
    manAsJoiner.role = .child
    toInviter = PairingRig(
      parties: (toInviter.inviterParty, manAsJoiner), code: toInviter.code, &random)
    var toJoiner = PairingRig(parties: (man, toInviter.joinerParty), code: .pasted(changed), &random)
    toInviter.settle()
    toJoiner.settle()
    let shownByInviter = try #require(toInviter.inviter.questions.first?.digits)
    let shownByJoiner = try #require(toJoiner.joiner.questions.first?.digits)
    #expect(shownByInviter != shownByJoiner, "\(random.note); one seed in a million may show the same")
  }

  /// The joiner commits itself before it sees the inviter's random number, so neither side can
  /// search for digits that fit.
  @Test func digitsFollowFromBothSidesRandomNumbers() throws {
    var digits: Set<String> = []
    for seed in UInt64(0)..<40 {
      var random = SeededRandom(seed: 1)
      let parties = (Samples.party(.parent, name: "P", &random), Samples.party(.child, name: "C", &random))
      let code = Samples.code(of: parties.0, &random)
      var fresh = SeededRandom(seed: 1_000 + seed)
      var rig = PairingRig(parties: parties, code: .pasted(code), &fresh)
      rig.settle()
      digits.insert(try #require(rig.inviter.questions.first?.digits))
    }
    #expect(digits.count == 40)
  }
}
