import LatchkeyModel

/// The code that is passed as text from the inviter's screen to the joiner (Protocol/03-pairing.md
/// §2).
public struct PairingCode: Sendable {
  public struct Address: Hashable, Sendable {
    public var ipv4: [UInt8]
    public var port: UInt16

    public init(ipv4: [UInt8], port: UInt16) {
      precondition(ipv4.count == 4, "an IPv4 address has four bytes")
      (self.ipv4, self.port) = (ipv4, port)
    }
  }

  /// A number in 0 to 1023 that selects the code for an attempt; it is not secret.
  public var discriminator: UInt16
  public var minutesValid: UInt8
  /// 16 random bytes.
  public var secret: SecretBytes
  /// 16 bytes: `DeviceKeys.codeCommitment` of the inviter.
  public var commitment: [UInt8]
  /// The inviter's address, if the code contains it.
  public var address: Address?

  static let humanReadablePart = "lk"
  static let version: UInt8 = 1

  public init(discriminator: UInt16, minutesValid: UInt8, secret: SecretBytes, commitment: [UInt8], address: Address?) {
    precondition(discriminator < Limits.discriminators && secret.count == 16 && commitment.count == 16)
    (self.discriminator, self.minutesValid, self.secret) = (discriminator, minutesValid, secret)
    (self.commitment, self.address) = (commitment, address)
  }

  /// The code as text: bech32m in upper case, in groups of five joined by dashes; at most 78
  /// characters without the dashes.
  public var text: String {
    var data: [UInt8] = [Self.version, 0, UInt8(discriminator >> 8), UInt8(discriminator & 0xFF), minutesValid]
    data += secret.withUnsafeBytes { Array($0) }
    data += commitment
    if let address { data += [UInt8(address.port >> 8), UInt8(address.port & 0xFF)] + address.ipv4 }
    let encoded: String
    do {
      encoded = try Bech32m.encode(humanReadablePart: Self.humanReadablePart, data: data, uppercase: true)
    } catch { preconditionFailure("43 bytes fit bech32m: \(error)") }
    let symbols = Array(encoded)
    return stride(from: 0, to: symbols.count, by: 5)
      .map { String(symbols[$0..<min($0 + 5, symbols.count)]) }.joined(separator: "-")
  }

  /// Creates a code from text, ignoring case, white space and dashes; throws `PairingCodeError`, so
  /// that a typing error is found before the network is used.
  public init(_ text: String) throws(PairingCodeError) {
    let compact = Self.compact(text)
    guard !compact.isEmpty else { throw .empty }
    guard compact.hasPrefix("lk1") else { throw .foreign }
    // The shortest code has 69 characters; fewer means that a part was not copied.
    let characters = compact.unicodeScalars.count
    guard characters >= 69 else { throw .truncated(characters: characters) }
    let data: [UInt8]
    let prefix: String
    do { (prefix, data) = try Bech32m.decode(compact) } catch { throw .typo }
    // A code's prefix ends at its last 1, which need not be the 1 of LK1.
    guard prefix == Self.humanReadablePart else { throw .foreign }
    guard data.count >= 5, data[0] == Self.version else { throw .newer }
    guard data[1] == 0 else { throw .newer }
    guard data.count == 37 || data.count == 43 else { throw .typo }
    discriminator = UInt16(data[2]) << 8 | UInt16(data[3])
    guard discriminator < Limits.discriminators, (1...15).contains(data[4]) else { throw .typo }
    minutesValid = data[4]
    secret = SecretBytes(Array(data[5..<21]))
    commitment = Array(data[21..<37])
    address = nil
    if data.count == 43 {
      let port = UInt16(data[37]) << 8 | UInt16(data[38])
      guard port > 0 else { throw .typo }
      address = Address(ipv4: Array(data[39..<43]), port: port)
    }
  }

  /// Returns a code's text without white space and dashes, in lower case.
  static func compact(_ text: String) -> String {
    text.unicodeScalars
      .filter { !$0.properties.isWhitespace && $0 != "-" && $0 != "\u{2010}" && $0 != "\u{2011}" && $0 != "\u{2013}" }
      .map { $0.properties.lowercaseMapping }.joined()
  }
}

/// An invitation's code in either form, as one attempt uses it (Protocol/03-pairing.md §2).
public enum PairingCredential: Sendable {
  /// A code that is pasted or scanned: a strong secret, and a commitment to the inviter's keys.
  case pasted(PairingCode)
  /// A code that is typed: a short secret.
  case typed(TypedCode)

  /// Creates a code from text in either form, ignoring case, white space and dashes; throws
  /// `PairingCodeError`, so that a typing error is found before the network is used.
  public init(_ text: String) throws(PairingCodeError) {
    let compact = PairingCode.compact(text)
    guard !compact.isEmpty else { throw .empty }
    do { self = .typed(try TypedCode(compact: compact)) } catch {
      // A short text that is not the beginning of a pasted code was meant as a typed one.
      if compact.unicodeScalars.count <= 12, !compact.hasPrefix("lk1") { throw error }
      self = .pasted(try PairingCode(text))
    }
  }

  /// A number in 0 to 1023 that selects the code for an attempt; it is not secret.
  public var discriminator: UInt16 {
    switch self {
    case .pasted(let code): code.discriminator
    case .typed(let code): code.discriminator
    }
  }

  /// The preamble with which the joiner begins the connection.
  public var preamble: Preamble {
    switch self {
    case .pasted(let code): .pairing(discriminator: code.discriminator)
    case .typed(let code): .typedPairing(discriminator: code.discriminator)
    }
  }
}

/// The reasons why a text is not a pairing code.
///
/// Each description says what to do next. Characters are Unicode code points. Spec:
/// Protocol/03-pairing.md §2.
public enum PairingCodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// The text does not begin with `LK1`, or is well formed with another prefix.
  case foreign
  case truncated(characters: Int)
  case typo
  /// A typed code has a number of symbols other than nine.
  case length(symbols: Int)
  /// A typed code has a wrong symbol, or two in the wrong order: `typo` in the specification.
  case mistyped
  case newer

  public var description: String {
    switch self {
    case .empty: "No code was given: enter the one that `latchkey pair` shows on the other machine."
    case .foreign:
      "This is not a Latchkey pairing code, which begins with LK1 or has nine symbols such as KX-7Q2MN-4C: enter what "
        + "`latchkey pair` shows on the other machine."
    case .truncated(let characters):
      "The code is cut off after \(characters) characters: copy all of it, from LK1 to the end."
    case .typo: "The code has a typing error: compare it with the screen of the other machine and enter it again."
    case .length(let symbols):
      "The short code has nine symbols, such as KX-7Q2MN-4C, and this has \(symbols): enter all of it."
    case .mistyped:
      "The short code has a typing error: compare it with the screen of the other machine and enter it again."
    case .newer: "The code was made by a newer version: update Latchkey on this machine and enter it again."
    }
  }
}

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
      guard (1...4).contains(part.count), part.allSatisfy(\.isDigit),
        part.count == 1 || part.first != 0x30,
        let number = UInt16(String(decoding: part, as: UTF8.self)), number < Limits.discriminators
      else { return [] }
      found.insert(number)
    }
    return found
  }
}
