import LatchkeyModel

/// A line that is typed key by key, for a prompt above which things change.
struct LineEditor: Sendable {
  /// The result of some keys.
  enum Outcome: Hashable, Sendable {
    case typing
    case line(String)
    /// Ctrl-D on an empty line.
    case end
  }

  /// The typed text, up to the last complete character.
  private(set) var text = ""
  private var bytes: [UInt8] = []
  private var escape: Escape = .none

  private enum Escape { case none, begun, sequence }

  /// Bytes that a line may have; further ones are not taken.
  static let lineBytes = Limits.messageBytes

  /// Processes bytes from the terminal.
  ///
  /// Bytes after a line end are discarded, since they were typed before the next question.
  ///
  /// - Parameter input: The bytes.
  /// - Returns: The result.
  mutating func received(_ input: [UInt8]) -> Outcome {
    for byte in input {
      switch (escape, byte) {
      case (.begun, UInt8(ascii: "[")), (.begun, UInt8(ascii: "O")): escape = .sequence
      case (.begun, _): escape = .none
      case (.sequence, 0x40...0x7E): escape = .none
      case (.sequence, _): break
      case (.none, 0x1B): escape = .begun
      case (.none, UInt8(ascii: "\n")), (.none, UInt8(ascii: "\r")):
        return .line(String(decoding: bytes, as: UTF8.self))
      case (.none, 0x04) where bytes.isEmpty: return .end
      case (.none, 0x7F), (.none, 0x08): removeLast()
      case (.none, 0x15): bytes = []
      case (.none, 0x09): append(0x20)
      case (.none, 0x20...): append(byte)
      case (.none, _): break
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
    return .typing
  }

  private mutating func append(_ byte: UInt8) {
    if bytes.count < Self.lineBytes { bytes.append(byte) }
  }

  private mutating func removeLast() { while let last = bytes.popLast(), last & 0xC0 == 0x80 {} }
}
