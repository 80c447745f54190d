import LatchkeyCrypto
import LatchkeyModel

/// The inviter's answer to a `CPaceOffer`: its half of CPace, 40 bytes.
///
/// Spec: Protocol/03-pairing.md §4.
struct CPaceAnswer: Hashable, Sendable {
  /// A point, 32 bytes.
  var share: [UInt8]
  var versions: VersionRange

  init(share: [UInt8], versions: VersionRange) {
    self.share = share
    self.versions = versions
  }

  /// Creates an answer from a frame; `nil` if the frame is malformed.
  init?(frame: [UInt8]) {
    guard frame.count == CPace.shareByteCount + VersionRange.byteCount,
      let versions = VersionRange(bytes: frame[CPace.shareByteCount...])
    else { return nil }
    self.init(share: Array(frame[..<CPace.shareByteCount]), versions: versions)
  }

  var frame: [UInt8] { share + versions.bytes }
}
