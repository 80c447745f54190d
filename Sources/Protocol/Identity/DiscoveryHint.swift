import LatchkeyModel

/// The part of an announcement by which members of a household, and no other devices, recognize
/// each other.
///
/// Spec: Protocol/02-discovery.md §3.
public enum DiscoveryHint {
  /// Returns the 8 bytes of TXT key `h`: a truncated HMAC-SHA-256 with the household's discovery
  /// key over nonce and device ID.
  ///
  /// `discoveryKey` has 32 bytes; `nonce` is the 8 bytes of TXT key `n`.
  public static func make(discoveryKey: [UInt8], nonce: [UInt8], device: DeviceID) -> [UInt8] {
    Array(HMACSHA256.authenticate(key: discoveryKey, message: nonce + device.bytes).prefix(8))
  }
}
