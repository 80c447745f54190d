import LatchkeyModel

/// What whoever runs a pairing machine has to do, in this order.
public enum PairingEffect: Sendable {
  /// Send this frame to the other machine.
  case send([UInt8])
  /// Show the person the question; where a person is asked, answer with `requestedAccept` or `requestedEnd(.refused)`.
  case ask(PairingQuestion)
  /// Make the peer durable as pending, then call `stored`.
  case storePending(PairedPeer)
  /// Make the pending peer durable as active (on the inviter also: the code as spent), then call `promoted`.
  case promote(PairedPeer)
  /// Forget the pending peer, durably.
  case discard(DeviceID)
  /// Count a wrong guess, durably, before anything else is answered.
  case countFailure
  /// Count a run of a typed code, durably, before the next frame is sent: whoever answers can test one guess with it.
  case countRun
  /// Take that back: it was the inviter who answered.
  case creditRun
  /// It is over: close the connection and tell the person.
  case finish(PairingOutcome)
}

/// What both screens show of the other machine, so that two people can tell whether they are looking at the same pairing.
public struct PairingQuestion: Hashable, Sendable {
  public let name: DeviceName
  public let role: DeviceRole
  /// Six digits, the same on both screens.
  public let digits: String

  init(_ peer: PairedPeer, digits: String) {
    name = peer.name
    role = peer.role
    self.digits = digits
  }
}

extension [PairingEffect] {
  /// Returns what is still owed to the other machine and to the store when an attempt ends, whatever else does.
  func lastWords<Effect>(send: ([UInt8]) -> Effect, discard: (DeviceID) -> Effect) -> [Effect] {
    compactMap { effect in
      switch effect {
      case .send(let frame): send(frame)
      case .discard(let device): discard(device)
      case .ask, .storePending, .promote, .countFailure, .countRun, .creditRun, .finish: nil
      }
    }
  }
}
