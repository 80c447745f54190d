import LatchkeyCrypto
import LatchkeyModel

/// What an announcement carries so that members of a household, and nobody else, recognise each other.
///
/// Spec: Protocol/02-discovery.md §3.
public enum DiscoveryHint {
  /// The 8 bytes of TXT key `h`: HMAC-SHA-256 with the household's discovery key over nonce and device ID, cut.
  ///
  /// - Parameters:
  ///   - discoveryKey: 32 bytes.
  ///   - nonce: the 8 bytes of TXT key `n`.
  public static func make(discoveryKey: [UInt8], nonce: [UInt8], device: DeviceID) -> [UInt8] {
    Array(HMACSHA256.authenticate(key: discoveryKey, message: nonce + device.bytes).prefix(8))
  }
}
