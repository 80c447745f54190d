import LatchkeyModel

/// What whoever runs a pairing machine has to do, in this order.
public enum PairingEffect: Sendable {
  /// Send this frame to the other machine.
  case send([UInt8])
  /// Show the person the name and the digits; where a person is asked, answer with `requestedAccept` or `requestedEnd(.refused)`.
  case ask(name: DeviceName, role: DeviceRole, digits: String)
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
