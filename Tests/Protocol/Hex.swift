import LatchkeyModel

/// Bytes from hexadecimal text in a test's own source.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.decode(text) else { preconditionFailure("no hexadecimal text: \(text)") }
  return bytes
}
