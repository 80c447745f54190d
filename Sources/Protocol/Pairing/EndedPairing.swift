import LatchkeyModel

/// How a pairing ended.
public struct EndedPairing: Sendable {
  let outcome: PairingOutcome
  /// The machine that was there at the end, if there was one.
  var question: PairingQuestion?
  /// The device that was paired.
  var device: RegisteredDevice?
  /// A Boolean value that indicates whether the person here broke it off, however far it had got.
  var wasLeftHere = false
}

extension PairingProgress {
  /// Shows a phase, with the machine that it is about.
  mutating func show(_ phase: Phase, _ question: PairingQuestion? = nil, _ sentence: String? = nil) {
    self.phase = phase
    peerName = question?.name
    peerRole = question?.role
    digits = question?.digits
    self.sentence = sentence
  }

  /// Shows the end; the digits are of no further use.
  mutating func show(_ ended: EndedPairing, _ sentence: String) {
    show(.ended, ended.question, sentence)
    digits = nil
    outcome = ended.outcome
    device = ended.device
  }
}
