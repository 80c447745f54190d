/// An input that is read as a script.
///
/// It yields choices and blocks of bytes in sequence, and zeros after its end.
struct ByteScript {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns a whole number below `count`, from one byte.
  mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// Returns the big-endian number in the next two bytes.
  mutating func number16() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

  mutating func number32() -> UInt32 { UInt32(number16()) << 16 | UInt32(number16()) }

  mutating func number64() -> UInt64 { UInt64(number32()) << 32 | UInt64(number32()) }

  /// Returns at most `count` bytes, or as many as there are.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Returns exactly `count` bytes, with zeros in place of missing ones.
  mutating func wholeBytes(_ count: Int) -> [UInt8] {
    let found = bytes(count)
    return found + [UInt8](repeating: 0, count: count - found.count)
  }

  /// Returns a block, which is preceded by a byte with its size.
  mutating func block() -> [UInt8] { bytes(Int(byte())) }

  mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
