import LatchkeyModel

/// A pairing of the tests, at every point of its way.
enum SamplePairing {
  static let code =
    "LK1QY-QQ9FG-95ZS6-9GAY5-KN202-9F424-6ETDW-47D83-WHDVT-RZQNN-RJ0UK-09YW2-AE2ZY-KQ4QQ-S2LTS-WLA"
  static let typedCode = "N5-7Q2MN-43"

  /// A code that was opened just now.
  static func opened(for childName: String? = "Emma") -> PairingProgress {
    PairingProgress(
      pairingID: "p1", phase: .waiting, change: 1, part: .inviter, code: code, typedCode: typedCode, prefix: "N5",
      childName: childName, expiresInMilliseconds: 300_000, failuresLeft: 5)
  }

  /// A join that was begun just now.
  static let started = PairingProgress(pairingID: "p1", phase: .waiting, change: 1, part: .joiner, prefix: "N5")

  static func waiting(change: Int, failuresLeft: Int = 5) -> PairingProgress {
    PairingProgress(
      pairingID: "p1", phase: .waiting, change: change, part: .inviter, expiresInMilliseconds: 240_000,
      failuresLeft: failuresLeft)
  }

  static func question(
    _ part: PairingProgress.Part = .inviter, attempt: Int = 1, change: Int = 2, digits: String = "123456"
  ) -> PairingProgress {
    PairingProgress(
      pairingID: "p1", phase: .asking, change: change, part: part, failuresLeft: part == .inviter ? 5 : nil,
      attempt: attempt, peerName: part == .inviter ? SampleValues.childName : DeviceName(sanitising: "Kitchen laptop"),
      peerRole: part == .inviter ? .child : .parent, digits: digits)
  }

  static func ended(_ outcome: PairingOutcome, _ part: PairingProgress.Part = .inviter) -> PairingProgress {
    var device = SampleValues.registered
    if part == .joiner { (device.name, device.role) = (DeviceName(sanitising: "Kitchen laptop"), .parent) }
    return PairingProgress(
      pairingID: "p1", phase: .ended, change: 99, part: part, outcome: outcome, sentence: outcome.sentence,
      device: outcome == .ok ? device : nil)
  }

  /// A node of a child's machine.
  static var childScript: ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.status.role = .child
    script.pairing = started
    return script
  }

  /// A node of a parent's machine with an open code.
  static var parentScript: ScriptedNode.Script {
    var script = ScriptedNode.Script()
    script.pairing = opened()
    return script
  }
}
