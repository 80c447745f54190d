/// Name what is wrong with a bech32m text, or with what was to become one.
///
/// Positions count the characters from 0; the description counts from 1, as people do.
public enum Bech32mError: Error, Equatable, Sendable {
  /// The text is longer than the 90 characters within which the checksum holds what it promises.
  case tooLong(count: Int)
  /// Small and capital letters are mixed; the first letter whose case differs from the letters before is at `position`.
  case mixedCase(position: Int)
  /// A character that no such text contains.
  case invalidCharacter(Unicode.Scalar, position: Int)
  /// There is no `1` between the prefix and the data, or nothing before it.
  case missingPrefix
  /// Fewer than the six characters of the checksum follow the prefix.
  case tooShort
  /// The checksum does not fit: something was mistyped or left out.
  case wrongChecksum
  /// The text holds a number of bits that is no number of bytes, or bits that should be zero are not.
  case wrongPadding
  /// The prefix to encode with is empty or has characters that are not printable ASCII in one case.
  case unusablePrefix
}

extension Bech32mError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let count):
      "The code has \(count) characters, more than the 90 that a code can have; copy the code alone."
    case .mixedCase(let position):
      "Character \(position + 1) changes between small and capital letters; type the code in one case."
    case .invalidCharacter(let scalar, let position):
      "Character \(position + 1), \(Self.shown(scalar)), never appears in a code; check it against the original."
    case .missingPrefix: "The code does not begin like a code; copy it again from its start."
    case .tooShort: "The code is too short; copy it again to its end."
    case .wrongChecksum: "The code has a typo or a part is missing; check it against the original."
    case .wrongPadding: "The code was not made by this program; ask for a new one."
    case .unusablePrefix: "The prefix of the code is not usable; choose 1 to 83 ASCII letters of one case."
    }
  }

  /// A character as it may safely be printed.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    (0x21...0x7e).contains(scalar.value) ? "\"\(scalar)\"" : "U+\(String(scalar.value, radix: 16, uppercase: true))"
  }
}
