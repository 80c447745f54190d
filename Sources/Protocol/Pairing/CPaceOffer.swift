import LatchkeyCrypto
import LatchkeyModel

/// The joiner's first frame with a typed code: its half of CPace, 56 bytes.
///
/// Spec: Protocol/03-pairing.md §4.
struct CPaceOffer: Hashable, Sendable {
  /// The size of a session ID in bytes.
  static let sessionIDByteCount = 16
  private static let byteCount = sessionIDByteCount + CPace.shareByteCount + VersionRange.byteCount

  /// A random ID of this run, 16 bytes.
  var sessionID: [UInt8]
  /// A point, 32 bytes.
  var share: [UInt8]
  var versions: VersionRange

  init(sessionID: [UInt8], share: [UInt8], versions: VersionRange) {
    self.sessionID = sessionID
    self.share = share
    self.versions = versions
  }

  /// Creates an offer from a frame; `nil` if the frame is malformed.
  init?(frame: [UInt8]) {
    guard frame.count == Self.byteCount else { return nil }
    let shareEnd = Self.sessionIDByteCount + CPace.shareByteCount
    guard let versions = VersionRange(bytes: frame[shareEnd...]) else { return nil }
    self.init(
      sessionID: Array(frame[..<Self.sessionIDByteCount]), share: Array(frame[Self.sessionIDByteCount..<shareEnd]),
      versions: versions)
  }

  var frame: [UInt8] { sessionID + share + versions.bytes }
}
