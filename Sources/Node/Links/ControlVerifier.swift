import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyWire

/// Checks removals and new keys, which only their sender could have made: a false one must not be passed over. What is in another
/// class, or of a sender that may not send it, is passed over as any item is.
///
/// Spec: Protocol/06-messages.md §2, §7, §8.
struct ControlVerifier: Sendable {
  /// The peer's identity key; nil when it is not a key at all, and then nothing that it signed is genuine.
  let identity: IdentityPublicKey?
  let sender: DeviceID
  let receiver: DeviceID
  /// The role that was agreed on in the pairing.
  let senderRole: DeviceRole

  /// - Throws: `SessionFault.violation`, the peer's fault.
  func verify(_ run: ItemRun) throws(SessionFault) {
    guard run.streamClass == .control else { return }
    for item in run.items where item.kind == .keyRotation && senderRole == .parent {
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
