import LatchkeyModel

/// An encoding of bytes as text that detects typing errors: bech32m, of at most 90 characters.
///
/// The text is a prefix, a `1`, the data in 32 symbols that are hard to confuse, and a checksum of
/// six symbols, which detects any four wrong characters. Spec: BIP-350 and BIP-173.
public enum Bech32m {
  public static let maximumCharacterCount = 90

  private static let alphabet: [UInt8] = [UInt8]("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let checksumConstant: UInt32 = 0x2bc8_30a3
  private static let checksumCount = 6

  // The symbol value for each ASCII code of a lower-case letter or digit; 0xff for others.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xff, count: 128)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Returns bytes as a text of at most 90 ASCII characters.
  ///
  /// The prefix is 1 to 83 printable ASCII characters in one case. Upper-case letters make smaller
  /// QR codes. Throws `unusablePrefix` or `tooLong`, the caller's fault.
  public static func encode(
    humanReadablePart: String, data: [UInt8], uppercase: Bool = false
  ) throws(Bech32mError) -> String {
    try encode(humanReadablePart: humanReadablePart, symbols: FiveBits.groups(of: data), uppercase: uppercase)
  }

  /// Returns the prefix, in lower case, and the bytes of a text.
  ///
  /// The text is in one case, without spaces or dashes. Throws `Bech32mError`, with the position of
  /// the error if it is known.
  public static func decode(_ text: String) throws(Bech32mError) -> (humanReadablePart: String, data: [UInt8]) {
    let (prefix, symbols) = try decodeSymbols(text)
    guard let (bytes, leftOver) = FiveBits.bytes(of: symbols), leftOver < 5 else { throw .wrongPadding }
    return (prefix, bytes)
  }

  package static func encode(
    humanReadablePart: String, symbols: [UInt8], uppercase: Bool
  ) throws(Bech32mError) -> String {
    let given = [UInt8](humanReadablePart.utf8)
    let isPrintable = given.allSatisfy { (33...126).contains($0) }
    let isOneCase = !(given.contains { isCapital($0) } && given.contains { isSmall($0) })
    guard !given.isEmpty, isPrintable, isOneCase else { throw .unusablePrefix }
    let count = given.count + 1 + symbols.count + checksumCount
    guard count <= maximumCharacterCount else { throw .tooLong(count: count) }

    let prefix = given.map(lowercased)
    let remainder = polymod(expanded(prefix) + symbols + [0, 0, 0, 0, 0, 0]) ^ checksumConstant
    let checksum = (0..<checksumCount).map { UInt8(remainder >> UInt32(5 * (checksumCount - 1 - $0)) & 31) }
    let text = prefix + [UInt8(ascii: "1")] + (symbols + checksum).map { alphabet[Int($0)] }
    return String(decoding: uppercase ? text.map(self.uppercased) : text, as: UTF8.self)
  }

  /// Returns the five-bit symbols of a text, without the checksum.
  package static func decodeSymbols(_ text: String) throws(Bech32mError) -> (prefix: String, symbols: [UInt8]) {
    // The bytes are counted first, so that a text of any length is refused cheaply.
    guard text.utf8.count <= maximumCharacterCount * 4, text.unicodeScalars.count <= maximumCharacterCount
    else { throw .tooLong(count: text.unicodeScalars.count) }
    let characters = try lowercasedCharacters(of: text)
    guard let separator = characters.lastIndex(of: UInt8(ascii: "1")), separator > 0 else { throw .missingPrefix }
    let prefix = [UInt8](characters[..<separator])
    var symbols: [UInt8] = []
    for position in (separator + 1)..<characters.count {
      let value = values[Int(characters[position])]
      guard value != 0xff else {
        // The character as given, before the change of case; all are known to be ASCII here.
        throw .invalidCharacter(Unicode.Scalar([UInt8](text.utf8)[position]), position: position)
      }
      symbols.append(value)
    }
    guard symbols.count >= checksumCount else { throw .tooShort }
    guard polymod(expanded(prefix) + symbols) == checksumConstant else { throw .wrongChecksum }
    return (String(decoding: prefix, as: UTF8.self), symbols.dropLast(checksumCount))
  }

  private static func lowercasedCharacters(of text: String) throws(Bech32mError) -> [UInt8] {
    var characters: [UInt8] = []
    var sawCapital = false
    var sawSmall = false
    for (position, scalar) in text.unicodeScalars.enumerated() {
      guard (33...126).contains(scalar.value) else { throw .invalidCharacter(scalar, position: position) }
      let character = UInt8(scalar.value)
      sawCapital = sawCapital || isCapital(character)
      sawSmall = sawSmall || isSmall(character)
      guard !(sawCapital && sawSmall) else { throw .mixedCase(position: position) }
      characters.append(lowercased(character))
    }
    return characters
  }

  /// Expands the prefix so that the checksum covers all of its bits.
  private static func expanded(_ prefix: [UInt8]) -> [UInt8] { prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 } }

  /// Returns the remainder of the symbols, taken as a polynomial over GF(32), divided by the code's
  /// generator.
  private static func polymod(_ symbols: [UInt8]) -> UInt32 {
    let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    var remainder: UInt32 = 1
    for symbol in symbols {
      let top = remainder >> 25
      remainder = (remainder & 0x1ff_ffff) << 5 ^ UInt32(symbol)
      for (bit, factor) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { remainder ^= factor }
    }
    return remainder
  }

  private static func isCapital(_ character: UInt8) -> Bool { (65...90).contains(character) }
  private static func isSmall(_ character: UInt8) -> Bool { (97...122).contains(character) }
  private static func lowercased(_ character: UInt8) -> UInt8 { isCapital(character) ? character + 32 : character }
  private static func uppercased(_ character: UInt8) -> UInt8 { isSmall(character) ? character - 32 : character }
}

/// The reasons why a bech32m text or its content is invalid.
///
/// Positions count the characters from 0. The description counts from 1, as people do.
public enum Bech32mError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is longer than 90 characters, the length up to which the checksum is effective.
  case tooLong(count: Int)
  /// Lower and upper case are mixed; the first letter with a different case is at `position`.
  case mixedCase(position: Int)
  case invalidCharacter(Unicode.Scalar, position: Int)
  /// There is no `1` between the prefix and the data, or nothing precedes it.
  case missingPrefix
  /// Fewer than the six characters of the checksum follow the prefix.
  case tooShort
  case wrongChecksum
  /// The number of bits is not a whole number of bytes, or the padding is not zero.
  case wrongPadding
  /// The prefix is empty or contains characters other than printable ASCII in one case.
  case unusablePrefix

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
