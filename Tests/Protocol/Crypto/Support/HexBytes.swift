import LatchkeyProtocol

/// Bytes that a vector file contains in hexadecimal.
struct Hex: Decodable, Sendable {
  let bytes: [UInt8]

  init(_ text: String) throws(HexFault) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { throw HexFault() }
    bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  var secret: SecretBytes { SecretBytes(bytes) }
}

struct HexFault: Error {}
