import LatchkeyModel

/// A pairing that can no longer be cancelled, since the other machine may have completed it.
///
/// If the person cancels it nevertheless, the device is removed again after completion, with a signed notice.
///
/// Spec: Protocol/03-pairing.md §7.
public struct PairingCompletion: Sendable {
  let question: PairingQuestion
  let half: HalfPairing
  /// A Boolean value that indicates whether the person here has cancelled it.
  private(set) var isTakenBack = false

  init(question: PairingQuestion, half: HalfPairing) {
    self.question = question
    self.half = half
  }

  /// A Boolean value that indicates whether to remove the device once the pairing is complete.
  ///
  /// A device that was paired before stays paired, since only its new key came from this pairing.
  var isUndone: Bool { isTakenBack && !half.wasPaired }

  /// Records a request to end the pairing.
  ///
  /// Only a person's request counts.
  mutating func requestedEnd(_ outcome: PairingOutcome) {
    if outcome == .cancelled { isTakenBack = true }
  }
}
