import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol

/// The verification of removals and new keys, which only their sender could have created.
///
/// A forged one must not be ignored.
///
/// Items of another class, or from a sender that may not send them, are ignored like any other.
///
/// Spec: Protocol/06-messages.md §2, §7, §8.
struct ControlVerifier: Sendable {
  /// The peer's identity key; `nil` if the stored bytes are not a key, in which case no signature
  /// is accepted.
  let identity: IdentityPublicKey?
  let sender: DeviceID
  let receiver: DeviceID
  /// The role that was agreed on in the pairing.
  let senderRole: DeviceRole

  /// Throws `SessionFault.violation`, the peer's fault, if the run contains a forged or malformed
  /// item.
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
