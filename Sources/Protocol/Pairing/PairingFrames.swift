import LatchkeyModel

/// The joiner's first frame with a typed code: its half of CPace, 56 bytes (Protocol/03-pairing.md
/// §4).
struct CPaceOffer: Hashable, Sendable {
  static let sessionIDByteCount = 16
  private static let byteCount = sessionIDByteCount + CPace.shareByteCount + VersionRange.byteCount

  /// A random ID of this run, 16 bytes.
  var sessionID: [UInt8]
  /// A point, 32 bytes.
  var share: [UInt8]
  var versions: VersionRange

  var frame: [UInt8] { sessionID + share + versions.bytes }
}

extension CPaceOffer {
  /// Creates an offer from a frame; `nil` if the frame is malformed.
  init?(frame: [UInt8]) {
    guard frame.count == Self.byteCount else { return nil }
    let shareEnd = Self.sessionIDByteCount + CPace.shareByteCount
    guard let versions = VersionRange(bytes: frame[shareEnd...]) else { return nil }
    self.init(
      sessionID: Array(frame[..<Self.sessionIDByteCount]), share: Array(frame[Self.sessionIDByteCount..<shareEnd]),
      versions: versions)
  }
}

/// The inviter's answer to a `CPaceOffer`: its half of CPace, 40 bytes (Protocol/03-pairing.md §4).
struct CPaceAnswer: Hashable, Sendable {
  /// A point, 32 bytes.
  var share: [UInt8]
  var versions: VersionRange

  var frame: [UInt8] { share + versions.bytes }
}

extension CPaceAnswer {
  /// Creates an answer from a frame; `nil` if the frame is malformed.
  init?(frame: [UInt8]) {
    guard frame.count == CPace.shareByteCount + VersionRange.byteCount,
      let versions = VersionRange(bytes: frame[CPace.shareByteCount...])
    else { return nil }
    self.init(share: Array(frame[..<CPace.shareByteCount]), versions: versions)
  }
}

/// The protocol versions that a side supports, as sent with a CPace share: two big-endian UInt32
/// values (Protocol/03-pairing.md §4).
struct VersionRange: Hashable, Sendable {
  static let byteCount = 8

  var range: ClosedRange<UInt32>

  init(_ range: ClosedRange<UInt32>) { self.range = range }

  /// Creates a range from eight bytes; `nil` if there is another number of them or the bounds are
  /// in the wrong order.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    let least = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let greatest = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard least <= greatest else { return nil }
    self.init(least...greatest)
  }

  var bytes: [UInt8] {
    [range.lowerBound, range.upperBound].flatMap { number in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
  }
}

/// A notice that an inviter sends unencrypted if it cannot continue a handshake.
///
/// Anyone could have sent it, so it informs and decides nothing. It has two bytes, the size of no
/// handshake message. Spec: Protocol/03-pairing.md §7.
public enum PairingNotice: UInt8, Sendable, Hashable {
  case wrongCode = 1
  case busy = 2
  case version = 3

  public var frame: [UInt8] { [0, rawValue] }

  /// Creates a notice from a frame; `nil` for any other frame.
  public init?(frame: [UInt8]) {
    guard frame.count == 2, frame[0] == 0 else { return nil }
    self.init(rawValue: frame[1])
  }

  public var outcome: PairingOutcome {
    switch self {
    case .wrongCode: .wrongCode
    case .busy: .busy
    case .version: .version
    }
  }
}
