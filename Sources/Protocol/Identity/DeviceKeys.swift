import LatchkeyModel

/// The two public keys of a device, and the values derived from them.
public struct DeviceKeys: Hashable, Sendable {
  public let identity: IdentityPublicKey
  /// The static key of Noise handshakes.
  public let link: LinkPublicKey

  public init(identity: IdentityPublicKey, link: LinkPublicKey) { (self.identity, self.link) = (identity, link) }

  /// The ID of the device, which identifies these keys and no others (Protocol/01-overview.md §3).
  public var deviceID: DeviceID {
    let hash = SHA256.hash(Array("latchkey device id v1".utf8) + identity.bytes + link.bytes)
    guard let id = DeviceID(bytes: hash.prefix(DeviceID.size)) else { preconditionFailure("SHA-256 has 32 bytes") }
    return id
  }

  /// The 16 bytes of a pairing code that commit its inviter to these keys (Protocol/03-pairing.md
  /// §2).
  public var codeCommitment: [UInt8] {
    Array(SHA256.hash(Array("latchkey code commitment v1".utf8) + identity.bytes + link.bytes).prefix(16))
  }
}

/// The part of an announcement by which members of a household, and no other devices, recognize
/// each other (Protocol/02-discovery.md §3).
public enum DiscoveryHint {
  /// Returns the 8 bytes of TXT key `h`: a truncated HMAC-SHA-256 with the household's discovery
  /// key of 32 bytes over the nonce, 8 bytes of TXT key `n`, and the device ID.
  public static func make(discoveryKey: [UInt8], nonce: [UInt8], device: DeviceID) -> [UInt8] {
    Array(HMACSHA256.authenticate(key: discoveryKey, message: nonce + device.bytes).prefix(8))
  }
}

/// A name for a pairwise key that reveals nothing about it (Protocol/04-session.md §9).
public enum PairwiseKeyID {
  /// The size of a name in bytes.
  public static let byteCount = 8

  /// Returns the name of a key of 32 bytes.
  public static func make(_ key: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(Array("latchkey pairwise key id v1".utf8) + key).prefix(byteCount))
  }
}

/// The signed notice that one device has removed another from its household
/// (Protocol/06-messages.md §7).
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
