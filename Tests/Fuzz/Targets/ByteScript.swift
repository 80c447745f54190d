/// An input that is read as a script: choices and blocks of bytes in sequence, and zeros after its end.
struct ByteScript {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// A Boolean value that indicates whether the script has ended.
  var isEmpty: Bool { rest.isEmpty }

  /// The next byte.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A whole number below `count`, out of one byte.
  mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

  /// Yes or no.
  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// Two bytes, big-endian.
  mutating func number16() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

  /// Four bytes, big-endian.
  mutating func number32() -> UInt32 { UInt32(number16()) << 16 | UInt32(number16()) }

  /// Eight bytes, big-endian.
  mutating func number64() -> UInt64 { UInt64(number32()) << 32 | UInt64(number32()) }

  /// At most `count` bytes, as many as there are.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Exactly `count` bytes, zeros in the place of missing ones.
  mutating func wholeBytes(_ count: Int) -> [UInt8] {
    let found = bytes(count)
    return found + [UInt8](repeating: 0, count: count - found.count)
  }

  /// A byte that tells the size, and a block of that size.
  mutating func block() -> [UInt8] { bytes(Int(byte())) }

  /// All that is left.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
