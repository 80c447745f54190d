import LatchkeyModel

/// Returns the bytes of hexadecimal text in a test's source.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hexadecimal.decode(text) else { preconditionFailure("no hexadecimal text: \(text)") }
  return bytes
}
