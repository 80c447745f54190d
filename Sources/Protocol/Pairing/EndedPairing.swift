import LatchkeyModel

/// The end of a pairing.
public struct EndedPairing: Sendable {
  let outcome: PairingOutcome
  /// The machine that took part at the end, if any.
  var question: PairingQuestion?
  /// The device that was paired.
  var device: RegisteredDevice?
  /// A Boolean value that indicates whether the person here cancelled it, at any point.
  var wasLeftHere = false
}

extension PairingProgress {
  /// Sets the phase that is shown, with the machine that it concerns.
  mutating func show(_ phase: Phase, _ question: PairingQuestion? = nil, _ sentence: String? = nil) {
    self.phase = phase
    peerName = question?.name
    peerRole = question?.role
    digits = question?.digits
    self.sentence = sentence
  }

  /// Shows the end of the pairing.
  ///
  /// The digits are no longer needed.
  mutating func show(_ ended: EndedPairing, _ sentence: String) {
    show(.ended, ended.question, sentence)
    digits = nil
    outcome = ended.outcome
    device = ended.device
  }
}
