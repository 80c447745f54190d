import LatchkeyModel

/// The encoding of a pairing's messages (Protocol/03-pairing.md §4, §5).
public enum PairingCodec {
  public static func encode(_ opening: PairingOpening) -> [UInt8] {
    var message = Latchkey_V1_PairingOpening()
    message.commitment = WireBytes(opening.commitment)
    return message.wireBytes
  }

  public static func encode(_ introduction: PairingIntroduction) -> [UInt8] {
    var message = Latchkey_V1_PairingIntroduction()
    message.identityKey = WireBytes(introduction.identityKey)
    message.name = introduction.name
    message.role = introduction.role.wire
    message.random = WireBytes(introduction.random)
    message.leastVersion = introduction.versions.lowerBound
    message.greatestVersion = introduction.versions.upperBound
    return message.wireBytes
  }

  public static func encode(_ step: PairingStep) -> [UInt8] {
    var message = Latchkey_V1_PairingStep()
    switch step {
    case .proof(let signature): message.proof.signature = WireBytes(signature)
    case .commit(let discoveryKey): message.commit.discoveryKey = WireBytes(discoveryKey)
    case .commitAcknowledged: message.commitAcknowledged = .init()
    case .done: message.done = .init()
    case .abort(let outcome): message.abort.outcome = outcome.rawValue
    }
    return message.wireBytes
  }

  /// Returns the content of a first message; throws `WireError`, the peer's fault.
  public static func opening(_ bytes: [UInt8]) throws(WireError) -> PairingOpening {
    let message = try Latchkey_V1_PairingOpening(wire: bytes)
    guard message.commitment.count == 32 else { throw WireError("a commitment of \(message.commitment.count) bytes") }
    return PairingOpening(commitment: Array(message.commitment))
  }

  /// Returns the introduction in a message; throws `WireError`, the peer's fault.
  public static func introduction(_ bytes: [UInt8]) throws(WireError) -> PairingIntroduction {
    let message = try Latchkey_V1_PairingIntroduction(wire: bytes)
    guard message.identityKey.count == 32, message.random.count == 32 else { throw WireError("a key of a wrong size") }
    guard message.leastVersion <= message.greatestVersion else { throw WireError("versions in the wrong order") }
    return PairingIntroduction(
      identityKey: Array(message.identityKey), name: message.name, role: try DeviceRole(wire: message.role),
      random: Array(message.random), versions: message.leastVersion...message.greatestVersion)
  }

  /// Returns the step in a message; throws `WireError`, the peer's fault.
  public static func step(_ bytes: [UInt8]) throws(WireError) -> PairingStep {
    switch try Latchkey_V1_PairingStep(wire: bytes).step {
    case .proof(let proof):
      guard proof.signature.count == 64 else { throw WireError("a signature of \(proof.signature.count) bytes") }
      return .proof(signature: Array(proof.signature))
    case .commit(let commit):
      guard commit.discoveryKey.count == 32 else { throw WireError("a key of \(commit.discoveryKey.count) bytes") }
      return .commit(discoveryKey: Array(commit.discoveryKey))
    case .commitAcknowledged: return .commitAcknowledged
    case .done: return .done
    case .abort(let abort): return .abort(PairingOutcome(rawValue: abort.outcome) ?? .refused)
    case nil: throw WireError("a step of an unknown kind")
    }
  }
}
