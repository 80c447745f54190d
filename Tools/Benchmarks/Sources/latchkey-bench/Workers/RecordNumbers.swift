import Synchronization

/// Names and times of records of use: as spread as hashes are, and one after another.
final class RecordNumbers: Sendable {
  private static let begun = Durations.now()
  private static let given = Atomic<UInt64>(0)

  /// 16 bytes that come once, and Unix milliseconds.
  func next() -> (id: [UInt8], start: Int64) {
    let number = Self.given.add(1, ordering: .relaxed).newValue
    // A multiplication by an odd number gives each number another, far from its neighbours'.
    let spread = number &* 0x9E37_79B9_7F4A_7C15
    let id = withUnsafeBytes(of: (spread.bigEndian, UInt64(bitPattern: Self.begun))) { Array($0) }
    return (id, 1_790_000_000_000 + Int64(number) * 1_000)
  }
}
