import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// The two machines of a pairing under attack.
///
/// The first byte chooses the attacker: one between two honest sides, at any stage and with a right
/// or a wrong code, or one at an end, with the code and invented data.
enum PairingTarget {
  static func seeds() -> [[UInt8]] {
    let way: [UInt8] = [1, 0, 1, 1, 0, 11, 15, 0, 10, 14, 1, 15, 0, 14]
    var seeds = (0..<FuzzedRig.stages.count).map { [0, UInt8($0)] + way }
    seeds += [
      [0, 0] + [7, 5, 1], [0, 3, 4, 2, 1, 2], [0, 9, 9, 3, 8, 4], [1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 2, 3, 0, 4, 0, 3],
      [1, 0, 0, 0, 1, 4, 65, 66, 67, 68, 0, 0, 0, 4, 2, 3, 0, 4, 0, 3], [1, 0, 200, 3, 1, 2, 3],
      [2, 0, 0, 0, 0, 0, 0, 4, 0, 3, 0, 4, 2, 3, 0, 5, 0, 3], [2, 0, 0, 8, 0], [1, 0, 0, 0, 0, 0, 0, 0, 2],
      [2, 0, 0, 0, 0, 0, 2], [2, 0, 16, 9, 3],
    ]
    return seeds
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    switch script.choice(3) {
    case 0:
      var rig = FuzzedRig.stages[script.choice(FuzzedRig.stages.count)]
      for _ in 0..<64 where !script.isEmpty { try rig.step(&script) }
    case 1: try meetInsider(&script, isInviter: false)
    default: try meetInsider(&script, isInviter: true)
    }
  }

  /// Runs one honest side with an insider in the other's place.
  private static func meetInsider(_ script: inout ByteScript, isInviter: Bool) throws(FuzzFault) {
    let way = script.byte()
    // A code that names other keys than the insider's must stop it before the joiner identifies
    // itself.
    let isNamed = !isInviter || way & 1 == 0
    var insider = PairingInsider(isInviter: isInviter)
    var victim = isInviter ? joiner(asks: way & 2 == 0, isNamed: isNamed) : inviter(asks: way & 2 == 0)
    for _ in 0..<48 where !script.isEmpty {
      for frame in victim.outgoing { insider.hear(frame) }
      victim.outgoing = []
      switch script.choice(8) {
      case 0, 1: if let frame = insider.next(&script) { try victim.receive(frame) }
      case 2: try victim.accept()
      case 3: try victim.work()
      case 4: try victim.receive(script.block())
      case 5: try victim.lose()
      case 6: try victim.end(FuzzedRig.ending(&script))
      default: if let frame = insider.next(&script) { try victim.receive(Array(frame.dropLast())) }
      }
      try require(victim.asked == nil || insider.hasProved, "a person is asked about keys that nobody proved to have")
      if let peer = victim.peer {
        try require(peer.keys == PairingInsider.keys, "paired with keys that nobody proved to have")
      }
      try require(isNamed || victim.asked == nil && victim.sent.count == 1, "another machine than the code's was met")
    }
  }

  private static func inviter(asks: Bool) -> FuzzedSide {
    var random = SeededRandom(seed: 10)
    return FuzzedSide(
      PairingAttempt(
        inviter: FuzzedRig.party(.parent, seed: 4), code: FuzzedRig.codes(isTyped: false).inviter, joinerRole: .child,
        entropy: Samples.entropy(&random), discoveryKey: [UInt8](repeating: 3, count: 32), asksPerson: asks))
  }

  private static func joiner(asks: Bool, isNamed: Bool) -> FuzzedSide {
    var random = SeededRandom(seed: 10)
    guard case .pasted(var code) = FuzzedRig.codes(isTyped: false).inviter else { preconditionFailure("it is pasted") }
    if isNamed { code.commitment = PairingInsider.keys.codeCommitment }
    let machine = PairingAttempt(
      joiner: FuzzedRig.party(.child, seed: 5), code: .pasted(code), entropy: Samples.entropy(&random), asksPerson: asks
    )
    return FuzzedSide(machine, first: machine.opening)
  }
}
