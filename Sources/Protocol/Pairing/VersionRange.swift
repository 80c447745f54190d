/// The protocol versions that a side supports, as sent with a CPace share: two big-endian UInt32 values.
///
/// Spec: Protocol/03-pairing.md §4.
struct VersionRange: Hashable, Sendable {
  /// The size in bytes.
  static let byteCount = 8

  var range: ClosedRange<UInt32>

  init(_ range: ClosedRange<UInt32>) {
    self.range = range
  }

  /// Creates a range from eight bytes; `nil` if there is another number of them or the bounds are in the wrong order.
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
