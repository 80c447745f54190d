/// Sixteen bytes that need no allocation: the storage of every 16-byte identifier.
struct Bytes16: Hashable, Sendable, Comparable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init?(_ bytes: some Collection<UInt8>) {
    // Most values come from arrays, which need no iterator.
    if let known = bytes.withContiguousStorageIfAvailable({ Self(buffer: $0) }) {
      guard let known else { return nil }
      self = known
      return
    }
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  private init?(buffer: UnsafeBufferPointer<UInt8>) {
    guard buffer.count == 16 else { return nil }
    let words = UnsafeRawBufferPointer(buffer)
    self.init(
      high: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      for index in 0..<8 {
        buffer[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
        buffer[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
      }
      count = 16
    }
  }

  static func < (left: Bytes16, right: Bytes16) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
