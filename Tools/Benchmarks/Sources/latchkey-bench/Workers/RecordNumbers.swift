import Synchronization

/// IDs and times of records of use: the IDs spread like hashes, and the times consecutive.
final class RecordNumbers: Sendable {
  private static let begun = Durations.now()
  private static let given = Atomic<UInt64>(0)

  /// Returns 16 unique bytes, and Unix milliseconds.
  func next() -> (id: [UInt8], start: Int64) {
    let number = Self.given.add(1, ordering: .relaxed).newValue
    // The product with an odd number maps each number to another, far from those of its neighbours.
    let spread = number &* 0x9E37_79B9_7F4A_7C15
    let id = withUnsafeBytes(of: (spread.bigEndian, UInt64(bitPattern: Self.begun))) { Array($0) }
    return (id, 1_790_000_000_000 + Int64(number) * 1_000)
  }
}
