/// The lines of a stream of bytes.
///
/// A line that is too long is left out, so that a sender cannot fill the memory.
struct LineSplitter: Sendable {
  /// The longest line in bytes.
  static let mostBytes = 16_384

  private var begun: [UInt8] = []
  private var isTooLong = false

  /// Returns the lines that end in the bytes, without their ends and without empty ones.
  mutating func lines(adding bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if !isTooLong, !begun.isEmpty { lines.append(begun) }
        (begun, isTooLong) = ([], false)
      } else if begun.count < Self.mostBytes {
        if !isTooLong { begun.append(byte) }
      } else {
        (begun, isTooLong) = ([], true)
      }
    }
    return lines
  }
}
