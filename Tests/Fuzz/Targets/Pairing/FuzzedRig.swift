import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// Two machines that pair, and between them an attacker who does not know the code.
struct FuzzedRig: Sendable {
  private static let inviterParty: PairingParty = party(.parent, seed: 4)
  private static let joinerParty: PairingParty = party(.child, seed: 5)

  private(set) var inviter: FuzzedSide
  private(set) var joiner: FuzzedSide
  /// A Boolean value that indicates whether both sides have the same code.
  private let isRight: Bool
  /// The frames so far, and frames of another pairing of the same two devices.
  private var seen: [[UInt8]] = []

  static func party(_ role: DeviceRole, seed: UInt64) -> PairingParty {
    var random = SeededRandom(seed: seed)
    return Samples.party(role, name: role == .parent ? "Kitchen laptop" : "Emma's PC", &random)
  }

  init(isTyped: Bool, isRight: Bool, asks: Bool = true, seed: UInt64 = 6) {
    var random = SeededRandom(seed: seed)
    let (own, codes) = (Self.inviterParty, Self.codes(isTyped: isTyped))
    self.isRight = isRight
    inviter = FuzzedSide(
      PairingAttempt(
        inviter: own, code: codes.inviter, joinerRole: .child, entropy: Samples.entropy(&random),
        discoveryKey: [UInt8](repeating: 3, count: 32), asksPerson: asks))
    let machine = PairingAttempt(
      joiner: Self.joinerParty, code: isRight ? codes.inviter : codes.wrong, entropy: Samples.entropy(&random),
      asksPerson: asks)
    joiner = FuzzedSide(machine, isTypedJoiner: isTyped, first: machine.opening)
  }

  /// Returns the code, and another with other secrets for the same address.
  static func codes(isTyped: Bool) -> (inviter: PairingCredential, wrong: PairingCredential) {
    guard !isTyped else {
      return (
        .typed(TypedCode(discriminator: 677, secretValues: [7, 23, 2, 20, 21, 4])),
        .typed(TypedCode(discriminator: 677, secretValues: [7, 23, 2, 20, 21, 5]))
      )
    }
    let (right, wrong) = (
      SecretBytes([UInt8](repeating: 7, count: 16)), SecretBytes([UInt8](repeating: 8, count: 16))
    )
    func code(_ secret: SecretBytes) -> PairingCredential {
      .pasted(
        PairingCode(
          discriminator: 677, minutesValid: 5, secret: secret, commitment: inviterParty.keys.codeCommitment,
          address: nil))
    }
    return (code(right), code(wrong))
  }

  /// The rig at every step, with each kind of code, right and wrong.
  ///
  /// It is computed once, since keys take long.
  static let stages: [FuzzedRig] = {
    var stages: [FuzzedRig] = []
    for (isTyped, isRight) in [(false, true), (true, true), (false, false), (true, false)] {
      var alien = FuzzedRig(isTyped: isTyped, isRight: true, asks: false, seed: 7)
      var rig = FuzzedRig(isTyped: isTyped, isRight: isRight)
      do {
        for _ in 0..<20 { try alien.advance() }
        rig.seen = alien.inviter.sent + alien.joiner.sent
        // With the wrong code, the pairing ends early, and the later steps all equal the end.
        for _ in 0..<(isRight ? 20 : 4) {
          stages.append(rig)
          try rig.advance()
        }
        precondition(
          !isRight || (rig.inviter.outcome == .ok && rig.joiner.outcome == .ok), "an honest pairing ends well")
        precondition(alien.inviter.outcome == .ok, "an honest pairing ends well")
      } catch { preconditionFailure("an honest pairing: \(error)") }
    }
    return stages
  }()

  /// Performs the next step of an undisturbed pairing.
  private mutating func advance() throws(FuzzFault) {
    if let frame = take(fromJoiner: true) { return try give(frame, toInviter: true) }
    if let frame = take(fromJoiner: false) { return try give(frame, toInviter: false) }
    let before = inviter.sent.count
    try inviter.work()
    try joiner.work()
    if inviter.sent.count == before, inviter.asked != nil { try inviter.accept() }
    if joiner.asked != nil { try joiner.accept() }
  }

  // MARK: Steps

  /// Performs the next step of the script.
  mutating func step(_ script: inout ByteScript) throws(FuzzFault) {
    let way = script.byte()
    let isInviter = way & 1 == 1
    switch way >> 1 % 10 {
    case 0, 1: if let frame = take(fromJoiner: isInviter) { try give(frame, toInviter: isInviter) }
    case 2: try give(script.block(), toInviter: isInviter)
    case 3:
      guard var frame = take(fromJoiner: isInviter) else { break }
      frame[script.choice(frame.count)] ^= script.byte()
      try give(frame, toInviter: isInviter)
    case 4: if !seen.isEmpty { try give(seen[script.choice(seen.count)], toInviter: isInviter) }
    case 5: try change(isInviter) { side throws(FuzzFault) in try side.accept() }
    case 6:
      let outcome = Self.ending(&script)
      try change(isInviter) { side throws(FuzzFault) in try side.end(outcome) }
    case 7: try change(isInviter) { side throws(FuzzFault) in try side.work() }
    case 8: try change(isInviter) { side throws(FuzzFault) in try side.lose() }
    default: _ = take(fromJoiner: isInviter)
    }
    try check()
  }

  /// Returns how a person or a clock may end the pairing.
  static func ending(_ script: inout ByteScript) -> PairingOutcome {
    let endings = PairingOutcome.allCases.filter { $0 != .ok }
    return endings[script.choice(endings.count)]
  }

  private mutating func take(fromJoiner: Bool) -> [UInt8]? {
    if fromJoiner { return joiner.outgoing.isEmpty ? nil : joiner.outgoing.removeFirst() }
    return inviter.outgoing.isEmpty ? nil : inviter.outgoing.removeFirst()
  }

  private mutating func give(_ frame: [UInt8], toInviter: Bool) throws(FuzzFault) {
    if seen.count < 64 { seen.append(frame) }
    try change(toInviter) { side throws(FuzzFault) in try side.receive(frame) }
  }

  private mutating func change(
    _ isInviter: Bool, _ body: (inout FuzzedSide) throws(FuzzFault) -> Void
  ) throws(FuzzFault) {
    if isInviter { try body(&inviter) } else { try body(&joiner) }
  }

  // MARK: What holds at every moment

  private func check() throws(FuzzFault) {
    for (side, other) in [(inviter, Self.joinerParty), (joiner, Self.inviterParty)] {
      try require(isRight || side.asked == nil && side.peer == nil, "a wrong code got as far as a person")
      try require(side.peer == nil || side.peer?.keys == other.keys, "paired with somebody else")
      if let asked = side.asked {
        try require(asked.name == other.name && asked.role == other.role, "\(asked) is shown")
      }
    }
    if let one = inviter.asked?.digits, let two = joiner.asked?.digits {
      try require(one == two, "\(one) here and \(two) there")
    }
    if let one = inviter.peer, let two = joiner.peer {
      try require(one.pairwiseKey == two.pairwiseKey, "two keys for one pairing")
    }
    // If the pairing is final at the inviter, it is durable at the joiner; if it is final at the
    // joiner, it is so at both.
    try require(inviter.active == nil || joiner.hasStored && joiner.peer != nil, "paired at the inviter alone")
    try require(joiner.active == nil || inviter.active != nil, "paired at the joiner alone")
  }
}
