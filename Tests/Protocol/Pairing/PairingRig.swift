import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// Two machines that pair, step by step.
///
/// It is a value, so that a test can continue from each step in many ways.
struct PairingRig: Sendable {
  /// The input that a side waits for.
  enum Stage: String {
    case opening
    case introduction
    case proof
    case answer
    case storing
    case acknowledgement
    case commit
    case done
    case promoting
    case ended
  }

  /// The number of steps of a pairing in which both persons are asked.
  static let steps = 14

  var inviter: PairingSide
  var joiner: PairingSide
  let code: PairingCredential
  let inviterParty: PairingParty
  let joinerParty: PairingParty
  let discoveryKey: [UInt8]

  init(
    inviterAsks: Bool = true, joinerAsks: Bool = true, parties: (PairingParty, PairingParty)? = nil,
    code: PairingCredential? = nil, codeAtJoiner: PairingCredential? = nil, isTyped: Bool = false,
    _ random: inout SeededRandom
  ) {
    inviterParty = parties?.0 ?? Samples.party(.parent, name: "Kitchen laptop", &random)
    joinerParty = parties?.1 ?? Samples.party(.child, name: "Emma's PC", &random)
    let code =
      code ?? (isTyped ? .typed(Samples.typedCode(&random)) : .pasted(Samples.code(of: inviterParty, &random)))
    self.code = code
    discoveryKey = random.bytes(32)
    inviter = PairingSide(
      PairingAttempt(
        inviter: inviterParty, code: code, joinerRole: .child, entropy: Samples.entropy(&random),
        discoveryKey: discoveryKey, asksPerson: inviterAsks))
    let machine = PairingAttempt(
      joiner: joinerParty, code: codeAtJoiner ?? code, entropy: Samples.entropy(&random), asksPerson: joinerAsks)
    joiner = PairingSide(machine)
    joiner.run([.send(machine.opening)])
    // The steps begin with the first message of the handshake, after the frames that derive the key
    // of a typed code.
    if case .typed = code {
      passToInviter()
      passToJoiner()
    }
  }

  /// Performs one step from the state after the step before.
  mutating func take(_ step: Int) {
    switch step {
    case 1, 3, 4, 11: passToInviter()
    case 2, 5, 8, 13: passToJoiner()
    case 6: inviter.accept()
    case 7: inviter.store()
    case 9: joiner.accept()
    case 10: joiner.store()
    case 12: inviter.promote()
    default: joiner.promote()
    }
  }

  /// Performs all steps up to this one.
  mutating func take(through step: Int) {
    for next in 1...Self.steps where next <= step { take(next) }
  }

  mutating func passToInviter() {
    if !joiner.outgoing.isEmpty { inviter.receive(joiner.outgoing.removeFirst()) }
  }

  mutating func passToJoiner() {
    if !inviter.outgoing.isEmpty { joiner.receive(inviter.outgoing.removeFirst()) }
  }

  /// Lets everything happen that needs no person.
  mutating func settle() {
    var quiet = false
    while !quiet {
      quiet =
        inviter.outgoing.isEmpty && joiner.outgoing.isEmpty && inviter.storing == nil && joiner.storing == nil
        && inviter.promoting == nil && joiner.promoting == nil
      passToInviter()
      passToJoiner()
      inviter.store()
      joiner.store()
      inviter.promote()
      joiner.promote()
    }
  }

  var faults: [String] { inviter.faults + joiner.faults }

  static func inviterStage(after step: Int) -> Stage {
    switch step {
    case 0: .opening
    case 1, 2: .introduction
    case 3: .proof
    case 4, 5: .answer
    case 6: .storing
    case 7...10: .acknowledgement
    case 11: .promoting
    default: .ended
    }
  }

  static func joinerStage(after step: Int) -> Stage {
    switch step {
    case 0, 1: .introduction
    case 2...4: .proof
    case 5...7: .commit
    case 8: .answer
    case 9: .storing
    case 10...12: .done
    case 13: .promoting
    default: .ended
    }
  }
}
