import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyWire

/// Holds control items to what only their sender could have made: one that is false must not be passed over.
///
/// Spec: Protocol/06-messages.md §7, §8.
struct ControlVerifier: Sendable {
  /// The peer's identity key; nil when it is not a key at all, and then nothing that it signed is genuine.
  let identity: IdentityPublicKey?
  let sender: DeviceID
  let receiver: DeviceID

  /// - Throws: `SessionFault.violation`, the peer's fault.
  func verify(_ run: ItemRun) throws(SessionFault) {
    for item in run.items where item.kind == .keyRotation && run.streamClass == .control {
      guard (try? MessageBodyCoding().rotation(item.body)) != nil else {
        throw .violation("new keys that are malformed")
      }
    }
    for item in run.items where item.kind == .removal {
      guard let identity,
        RemovalNotice.isGenuine(item.body, identity: identity, sender: sender, receiver: receiver)
      else { throw .violation("a removal that its sender did not sign") }
    }
  }
}
