import LatchkeyModel

/// The signed notice that one device has removed another from its household.
///
/// Spec: Protocol/06-messages.md §7.
public enum RemovalNotice {
  private static func message(sender: DeviceID, receiver: DeviceID) -> [UInt8] {
    Array("latchkey removal v1".utf8) + sender.bytes + receiver.bytes
  }

  public static func make(by identity: IdentityKeyPair, sender: DeviceID, receiver: DeviceID) -> [UInt8] {
    RemovalCodec.encode(signature: identity.sign(message(sender: sender, receiver: receiver)))
  }

  public static func isGenuine(_ body: [UInt8], identity: IdentityPublicKey, sender: DeviceID, receiver: DeviceID)
    -> Bool
  {
    guard let signature = try? RemovalCodec.signature(body) else { return false }
    return identity.verify(signature: signature, of: message(sender: sender, receiver: receiver))
  }
}
