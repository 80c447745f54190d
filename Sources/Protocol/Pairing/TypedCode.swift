import LatchkeyCrypto
import LatchkeyModel

/// The code that a person reads aloud and types, such as `KX-7Q2MN-4C`. Spec: Protocol/03-pairing.md §2.
///
/// Its 30 secret bits are too few for a key: CPace makes one of them, at one guess a run.
public struct TypedCode: Sendable {
  /// 0 to 1023; the two first symbols.
  public var discriminator: UInt16
  /// The six secret symbols as upper-case ASCII, which is what CPace agrees by.
  public var secret: SecretBytes

  /// The number of secret symbols, of five bits each.
  public static let secretSymbols = 6

  /// Put a code together.
  ///
  /// - Parameters:
  ///   - discriminator: 0 to 1023.
  ///   - secretValues: six values of 0 to 31, drawn at random.
  public init(discriminator: UInt16, secretValues: [UInt8]) {
    precondition(discriminator < 1_024 && secretValues.count == Self.secretSymbols)
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

  /// The two first symbols: no secret, they tell one open code from another.
  public var prefix: String { Self.prefix(discriminator: discriminator) }

  /// The two symbols that stand for a discriminator.
  public static func prefix(discriminator: UInt16) -> String {
    let values = [UInt8(discriminator >> 5 & 31), UInt8(discriminator & 31)]
    return String(decoding: values.map { Crockford.symbols[Int($0)] }, as: UTF8.self)
  }

  /// Read nine symbols without dashes and white space, in either case.
  ///
  /// - Throws: `PairingCodeError`; a wrong symbol is found here, before the network is used.
  init(compact: String) throws(PairingCodeError) {
    let symbols = compact.unicodeScalars.count
    guard symbols == 9 else { throw .length(symbols: symbols) }
    guard let values = Crockford.values(compact), Crockford.check(values.dropLast()) == values[8] else {
      throw .mistyped
    }
    self.init(discriminator: UInt16(values[0]) << 5 | UInt16(values[1]), secretValues: Array(values[2..<8]))
  }
}
