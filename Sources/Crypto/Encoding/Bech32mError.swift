/// The reasons why a bech32m text or its content is invalid.
///
/// Positions count the characters from 0. The description counts from 1, as people do.
public enum Bech32mError: Error, Equatable, Sendable {
  /// The text is longer than 90 characters, the length up to which the checksum is effective.
  case tooLong(count: Int)
  /// Lower and upper case are mixed.
  ///
  /// The first letter with a different case is at `position`.
  case mixedCase(position: Int)
  /// The text contains a character that is not permitted.
  case invalidCharacter(Unicode.Scalar, position: Int)
  /// There is no `1` between the prefix and the data, or nothing precedes it.
  case missingPrefix
  /// Fewer than the six characters of the checksum follow the prefix.
  case tooShort
  /// The checksum does not match: something was mistyped or omitted.
  case wrongChecksum
  /// The number of bits is not a whole number of bytes, or the padding is not zero.
  case wrongPadding
  /// The prefix is empty or contains characters other than printable ASCII in one case.
  case unusablePrefix
}

extension Bech32mError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
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

  /// Returns a character in a form that is safe to print.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    (0x21...0x7e).contains(scalar.value) ? "\"\(scalar)\"" : "U+\(String(scalar.value, radix: 16, uppercase: true))"
  }
}
