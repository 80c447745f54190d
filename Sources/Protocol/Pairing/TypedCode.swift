import LatchkeyModel

/// The code that a person reads aloud and types, such as `KX-7Q2MN-4C`.
///
/// Its 30 secret bits are too few for a key. CPace derives a key from them and allows one guess in
/// each run. Spec: Protocol/03-pairing.md §2.
public struct TypedCode: Sendable {
  /// The number in 0 to 1023 that the first two symbols encode.
  public var discriminator: UInt16
  /// The six secret symbols as upper-case ASCII, which are the password of CPace.
  public var secret: SecretBytes

  /// The number of secret symbols, of five bits each.
  public static let secretSymbols = 6

  /// Creates a code from a discriminator in 0 to 1023 and six random values in 0 to 31.
  public init(discriminator: UInt16, secretValues: [UInt8]) {
    precondition(discriminator < Limits.discriminators && secretValues.count == Self.secretSymbols)
    precondition(secretValues.allSatisfy { $0 < 32 })
    self.discriminator = discriminator
    secret = SecretBytes(secretValues.map { Crockford.symbols[Int($0)] })
  }

  /// The code as it is shown: `DD-SSSSS-SC`.
  public var text: String {
    let symbols = prefix.utf8 + secret.withUnsafeBytes { Array($0) }
    let check = Crockford.check(Crockford.values(String(decoding: symbols, as: UTF8.self)) ?? [])
    let all = Array(symbols) + [Crockford.symbols[Int(check)]]
    return [all[0..<2], all[2..<7], all[7..<9]].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }

  /// The first two symbols, which identify an open code and are not secret.
  public var prefix: String { Self.prefix(discriminator: discriminator) }

  /// Returns the two symbols that encode a discriminator.
  public static func prefix(discriminator: UInt16) -> String {
    let values = [UInt8(discriminator >> 5 & 31), UInt8(discriminator & 31)]
    return String(decoding: values.map { Crockford.symbols[Int($0)] }, as: UTF8.self)
  }

  /// Creates a code from nine symbols without dashes and white space, in either case; throws
  /// `PairingCodeError`, so that a wrong symbol is found before the network is used.
  init(compact: String) throws(PairingCodeError) {
    let symbols = compact.unicodeScalars.count
    guard symbols == 9 else { throw .length(symbols: symbols) }
    guard let values = Crockford.values(compact), Crockford.check(values.dropLast()) == values[8]
    else { throw .mistyped }
    self.init(discriminator: UInt16(values[0]) << 5 | UInt16(values[1]), secretValues: Array(values[2..<8]))
  }
}

/// The value of `d` in an announcement: the discriminators of the open codes
/// (Protocol/02-discovery.md §2).
public enum OpenCodesText {
  /// Returns the discriminators in decimal, joined by commas; at most `Limits.invitations`.
  public static func bytes(_ discriminators: [UInt16]) -> [UInt8] {
    Array(discriminators.prefix(Limits.invitations).map { String($0) }.joined(separator: ",").utf8)
  }

  /// Returns the discriminators of a value; none if the value is missing or malformed.
  public static func discriminators(_ bytes: [UInt8]?) -> Set<UInt16> {
    guard let bytes, !bytes.isEmpty else { return [] }
    let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count <= Limits.invitations else { return [] }
    var found: Set<UInt16> = []
    for part in parts {
      guard (1...4).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
        part.count == 1 || part.first != 0x30,
        let number = UInt16(String(decoding: part, as: UTF8.self)), number < Limits.discriminators
      else { return [] }
      found.insert(number)
    }
    return found
  }
}
