import LatchkeyModel
import LatchkeyTestSupport

@testable import LatchkeyProtocol

/// An open code and a join that uses it.
///
/// A test performs their effects in any order. Connections are numbers, whose types keep the
/// effects of the two sides apart.
struct PairingLives {
  typealias Invitation = PairingMachine<Int>
  typealias Join = PairingMachine<UInt>

  let inviterParty: PairingParty
  let joinerParty: PairingParty
  let code: PairingCode
  let typed: TypedCode
  var invitation: Invitation
  var join: Join
  var toInviter: [[UInt8]] = []
  var toJoiner: [[UInt8]] = []
  /// The attempts in progress, by the number that each side gave them.
  var served = 0
  var dialled = 0
  /// The effects so far, by name, without frames.
  var inviterWords: [String] = []
  var joinerWords: [String] = []

  init(half: DeviceID? = nil, _ random: inout SeededRandom) {
    inviterParty = Samples.party(.parent, name: "Kitchen laptop", &random)
    joinerParty = Samples.party(.child, name: "Emma's PC", &random)
    code = Samples.code(of: inviterParty, &random)
    typed = Samples.typedCode(&random)
    invitation = Invitation(
      pairingID: "code", pasted: code, typed: typed, deadline: Self.deadline, childName: "Emma", half: half)
    join = Join(pairingID: "join", discriminator: code.discriminator)
  }

  static let deadline = BootInstant(milliseconds: 300_000)

  var child: DeviceID { joinerParty.keys.deviceID }
  var parent: DeviceID { inviterParty.keys.deviceID }

  /// Connects the joiner; with `wrong`, by another code.
  mutating func connect(
    inviterAsks: Bool = true, joinerAsks: Bool = false, isTyped: Bool = false, wrong: Bool = false,
    _ random: inout SeededRandom
  ) {
    let right: PairingCredential = isTyped ? .typed(typed) : .pasted(code)
    let used: PairingCredential = wrong ? .pasted(Samples.code(of: inviterParty, &random)) : right
    let machine = PairingAttempt(
      joiner: joinerParty, code: used, entropy: Samples.entropy(&random), asksPerson: joinerAsks)
    if let number = join.connected(1, machine) {
      dialled = number
      toInviter = [machine.opening]
    }
    let entropy = Samples.entropy(&random)
    if let number = invitation.connected(
      1,
      PairingAttempt(
        inviter: inviterParty, code: right, joinerRole: .child, entropy: entropy, discoveryKey: random.bytes(32),
        asksPerson: inviterAsks))
    {
      served = number
    }
  }

  mutating func take(_ effects: [Invitation.Effect]) {
    for effect in effects {
      if case .send(let frame, _) = effect { toJoiner.append(frame) } else { inviterWords.append(Self.name(effect)) }
    }
  }

  mutating func take(_ effects: [Join.Effect]) {
    for effect in effects {
      if case .send(let frame, _) = effect { toInviter.append(frame) } else { joinerWords.append(Self.name(effect)) }
    }
  }

  /// Passes frames until neither side sends one.
  mutating func pass() {
    while !toInviter.isEmpty || !toJoiner.isEmpty {
      if !toInviter.isEmpty { take(invitation.received(toInviter.removeFirst(), in: served)) }
      if !toJoiner.isEmpty { take(join.received(toJoiner.removeFirst(), in: dialled)) }
    }
  }

  /// Continues until the inviter's person is asked.
  mutating func ask(_ random: inout SeededRandom) {
    connect(&random)
    pass()
  }

  /// Continues until the inviter waits for its store.
  mutating func accept(_ random: inout SeededRandom) {
    ask(&random)
    take(invitation.answered(true))
  }

  /// Continues until the joiner waits for its store.
  mutating func commit(wasPaired: Bool = false, _ random: inout SeededRandom) {
    accept(&random)
    take(invitation.stored(wasPaired: wasPaired, in: served))
    pass()
  }

  /// Continues until the inviter makes the joiner active, and the joiner waits for the last
  /// message.
  mutating func acknowledge(wasPaired: Bool = false, _ random: inout SeededRandom) {
    commit(wasPaired: wasPaired, &random)
    take(join.stored(wasPaired: wasPaired, in: dialled))
    pass()
  }

  /// Continues until the joiner makes the inviter active, and only the inviter has yet to learn of
  /// it.
  mutating func finish(wasPaired: Bool = false, _ random: inout SeededRandom) {
    acknowledge(wasPaired: wasPaired, &random)
    take(invitation.promoted(in: served))
    pass()
  }

  /// The name of a case.
  static func name(_ effect: some Any) -> String { Mirror(reflecting: effect).children.first?.label ?? "\(effect)" }

  /// The name of a machine's phase, with the stage of its attempt.
  static func phase<Line: Sendable>(_ machine: PairingMachine<Line>) -> String {
    if case .attempt(let attempt) = machine.phase { name(attempt.stage) } else { name(machine.phase) }
  }

  static func device(_ party: PairingParty) -> RegisteredDevice {
    RegisteredDevice(
      deviceID: party.keys.deviceID, name: party.name, role: party.role,
      identityKey: Hexadecimal.encode(party.keys.identity.bytes), linkKey: Hexadecimal.encode(party.keys.link.bytes),
      pairedAt: 1)
  }
}
