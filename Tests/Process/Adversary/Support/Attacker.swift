import LatchkeyModel
import LatchkeyProtocol

/// The real machines of a pairing under an adversary's control, on its own connections and with
/// keys of its own.
struct Attacker: Sendable {
  /// The result of an attempt.
  struct End: Sendable {
    var outcome: PairingOutcome?
    /// The digits that its own machine would show, once the other side had proved itself.
    var digits: String?
    /// The frames it was sent.
    var received: [[UInt8]] = []
  }

  let party: PairingParty

  /// Creates an attacker with new keys.
  init(_ role: DeviceRole, name: String = "Mallory") throws {
    party = PairingParty(identity: .generate(), link: .generate(), name: try DeviceName(name), role: role)
  }

  static func entropy() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: .generate(), scalar: .generate(),
      sessionID: SecureRandom.bytes(16))
  }

  /// Joins as a child with a code and accepts everything; `isHeld` gets the digits and returns
  /// `false` to leave.
  func join(_ code: PairingCredential, on stream: ByteStream, isHeld: @Sendable (String) -> Bool = { _ in true }) -> End
  {
    let attempt = PairingAttempt(joiner: party, code: code, entropy: Self.entropy(), asksPerson: false)
    stream.write(code.preamble.bytes)
    stream.write(frame: attempt.opening)
    return run(attempt, on: stream, isHeld)
  }

  /// Acts as the inviter of a code, after the preamble was read.
  func invite(_ code: PairingCredential, on stream: ByteStream, isHeld: @Sendable (String) -> Bool = { _ in true })
    -> End
  {
    let attempt = PairingAttempt(
      inviter: party, code: code, joinerRole: .child, entropy: Self.entropy(), discoveryKey: SecureRandom.bytes(32),
      asksPerson: false)
    return run(attempt, on: stream, isHeld)
  }

  private func run(_ attempt: PairingAttempt, on stream: ByteStream, _ isHeld: (String) -> Bool) -> End {
    var (attempt, end) = (attempt, End())
    while end.outcome == nil {
      let frame = stream.readFrame()
      if let frame { end.received.append(frame) }
      var effects = if let frame { attempt.received(frame) } else { attempt.connectionLost() }
      while !effects.isEmpty, end.outcome == nil {
        switch effects.removeFirst() {
        case .send(let frame): stream.write(frame: frame)
        case .ask(let question):
          end.digits = question.digits
          if !isHeld(question.digits) {
            stream.end()
            return end
          }
        case .storePending: effects = attempt.stored() + effects
        case .promote: effects = attempt.promoted() + effects
        case .discard, .countFailure, .countRun, .creditRun: break
        case .finish(let outcome): end.outcome = outcome
        }
      }
    }
    stream.end()
    return end
  }
}
