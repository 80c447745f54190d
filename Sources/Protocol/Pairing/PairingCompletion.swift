import LatchkeyModel

/// A pairing that cannot be broken off any more, since the other machine may have made it final.
///
/// A person who breaks it off all the same is obeyed once it is final: the device is removed again, signed.
/// Spec: Protocol/03-pairing.md §7.
public struct PairingCompletion: Sendable {
  let question: PairingQuestion
  let half: HalfPairing
  /// A Boolean value that indicates whether the person here has broken it off.
  private(set) var isTakenBack = false

  init(question: PairingQuestion, half: HalfPairing) {
    self.question = question
    self.half = half
  }

  /// A Boolean value that indicates whether the device has to be removed once the pairing is final.
  ///
  /// A device that was paired before stays so: only its new key came of this pairing.
  var isUndone: Bool { isTakenBack && !half.wasPaired }

  /// Takes note of a request to end the pairing; only a person's counts.
  mutating func requestedEnd(_ outcome: PairingOutcome) {
    if outcome == .cancelled { isTakenBack = true }
  }
}
