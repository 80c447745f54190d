import LatchkeyModel
import LatchkeyProtocol

/// The encryption of a session's frames.
enum Sealing {
  case plain
  case noise(NoiseTransport)
}

/// The handshake of a session.
///
/// It is the real one, or one that only compares keys and takes no time.
struct Handshakes {
  struct Call {
    let first: Frame
    /// Returns the encryption, and the index of the peer's key among those of the call.
    let answered: ([UInt8]) -> (Sealing, Int)?
  }

  struct Answer {
    let caller: DeviceID
    let accept: ([UInt8]) -> (answer: [UInt8], Sealing)?
  }

  let isSealed: Bool
  unowned let simulation: Simulation

  /// Begins a call to a peer that may answer with any of several keys.
  func call(_ node: SimulatedNode, _ peer: DeviceID, keys: [[UInt8]]) -> Call? {
    guard isSealed else {
      return Call(first: .first(node.device, [])) { answer in
        keys.firstIndex(of: answer).map { (.plain, $0) }
      }
    }
    guard let own = node.linkKey, let other = simulation.nodes.first(where: { $0.device == peer })?.linkKey else {
      return nil
    }
    let held = keys.compactMap { try? PresharedKey(bytes: $0) }
    guard held.count == keys.count else { return nil }
    let initiator = SessionInitiator(
      own: own, peer: other.publicKey, pairwiseKeys: held, ephemeralKey: simulation.linkKeys())
    return Call(first: .first(node.device, initiator.firstFrame)) { answer in
      (try? initiator.answered(answer)).map { (.noise($0.transport), $0.key) }
    }
  }

  /// Answers a call and identifies the caller.
  func respond(_ node: SimulatedNode, _ claimed: DeviceID, _ bytes: [UInt8]) -> Answer? {
    guard isSealed else { return Answer(caller: claimed) { (answer: $0, .plain) } }
    guard let own = node.linkKey,
      let responder = try? SessionResponder(own: own, ephemeralKey: simulation.linkKeys(), firstFrame: bytes),
      let caller = simulation.nodes.first(where: { $0.linkKey?.publicKey == responder.caller })?.device
    else { return nil }
    return Answer(caller: caller) { key in
      guard let key = try? PresharedKey(bytes: key) else { return nil }
      let (answer, transport) = responder.accept(pairwiseKey: key)
      return (answer, .noise(transport))
    }
  }
}
