import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct PairingCodeTests {
  // Another program made these codes from the specification.
  private static let plain = "LK1QY-QQ9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSG8-2Y4W"
  private static let addressed =
    "LK1QY-QQ9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6H3LY-XQ4QQ-3GQWN-FJ0"
  private static let both = [plain, addressed]

  private static func known(address: PairingCode.Address?) -> PairingCode {
    PairingCode(
      discriminator: 0x29A, minutesValid: 5, secret: SecretBytes(Array(0x10..<0x20)), commitment: Array(0xA0..<0xB0),
      address: address)
  }

  private static func isSame(_ left: PairingCode, _ right: PairingCode) -> Bool {
    left.discriminator == right.discriminator && left.minutesValid == right.minutesValid && left.secret == right.secret
      && left.commitment == right.commitment && left.address == right.address
  }

  @Test func theTextIsTheKnownOne() throws {
    let address = PairingCode.Address(ipv4: [192, 168, 1, 20], port: 8_080)
    #expect(Self.known(address: nil).text == Self.plain)
    #expect(Self.known(address: address).text == Self.addressed)
    #expect(Self.isSame(try PairingCode(Self.plain), Self.known(address: nil)))
    #expect(Self.isSame(try PairingCode(Self.addressed), Self.known(address: address)))
  }

  @Test func everyCodeComesBackAndFitsItsChecksum() throws {
    var random = SeededRandom()
    for minutes in UInt8(1)...15 {
      for isAddressed in [false, true] {
        let code = PairingCode(
          discriminator: UInt16(random.below(1_024)), minutesValid: minutes, secret: SecretBytes(random.bytes(16)),
          commitment: random.bytes(16),
          address: isAddressed
            ? .init(ipv4: random.bytes(4), port: UInt16.random(in: 1...UInt16.max, using: &random)) : nil)
        #expect(Self.isSame(try PairingCode(code.text), code), "\(random.note)")
        let groups = code.text.split(separator: "-")
        #expect(groups.dropLast().allSatisfy { $0.count == 5 } && groups.last?.count ?? 6 <= 5)
        #expect(groups.joined().count == (isAddressed ? 78 : 69), "the checksum finds any four errors in up to 90")
      }
    }
  }

  @Test(arguments: both) func caseSpacesAndDashesDoNotMatter(text: String) throws {
    let code = try PairingCode(text)
    let bare = text.replacing("-", with: "")
    for variant in [
      bare, text.lowercased(), text.replacing("-", with: " "), text.replacing("-", with: "\u{2011}"), "  \(text)\r\n",
      text.replacing("-", with: "\n"), text.replacing("-", with: "--"), text.replacing("-", with: "\u{2013}"),
      "l" + text.dropFirst(), bare.map { "\($0)\u{A0}" }.joined(),
    ] {
      #expect(Self.isSame(try PairingCode(variant), code), "\(variant)")
    }
  }

  /// Every printable character at every place, and some results of people and phones that change
  /// characters.
  @Test(arguments: both) func everySingleTypoIsFound(text: String) {
    let symbols = Array(text.replacing("-", with: ""))
    let others = (33...126).map { Character(Unicode.Scalar(UInt8($0))) } + ["ä", "０", "і", "\u{0}", "\u{1B}"]
    for position in symbols.indices {
      for other in others where other.lowercased() != symbols[position].lowercased() {
        var wrong = symbols
        wrong[position] = other
        Self.expectRefused(String(wrong), "\(other) at \(position)")
      }
    }
  }

  @Test(arguments: both) func leftOutDoubledAndSwappedSymbolsAreFound(text: String) {
    let symbols = Array(text.replacing("-", with: ""))
    for position in symbols.indices {
      var shorter = symbols
      shorter.remove(at: position)
      Self.expectRefused(String(shorter), "without \(position)")
      var longer = symbols
      longer.insert(symbols[position], at: position)
      Self.expectRefused(String(longer), "twice \(position)")
      if position + 1 < symbols.count, symbols[position] != symbols[position + 1] {
        var swapped = symbols
        swapped.swapAt(position, position + 1)
        Self.expectRefused(String(swapped), "swapped \(position)")
      }
    }
  }

  @Test(arguments: both) func everyTruncationIsFound(text: String) {
    let bare = text.replacing("-", with: "")
    for count in 0..<bare.count {
      let error = #expect(throws: PairingCodeError.self, "\(count)") { try PairingCode(String(bare.prefix(count))) }
      switch count {
      case 0: #expect(error == .empty)
      case 1, 2: #expect(error == .foreign)
      case 3..<69: #expect(error == .truncated(characters: count))
      default: #expect(error == .typo)
      }
    }
  }

  private static func expectRefused(_ text: String, _ what: String) {
    let error = #expect(throws: PairingCodeError.self, "\(what)") { try PairingCode(text) }
    switch error {
    case .typo, .foreign, .truncated: break
    case .empty, .newer, .length, .mistyped, nil: Issue.record("\(what) is told as \(String(describing: error))")
    }
  }

  @Test(
    arguments: [
      ("", .empty), (" - \n", .empty), ("hello", .foreign), ("LK2QY", .foreign), ("1234-5678", .foreign),
      // Well-formed codes with an unsupported version, flag, discriminator, minutes, port, length
      // or prefix.
      ("LK1QG-QQ9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSRP-XWQR", .newer),
      ("LK1QY-QS9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSD2-LKDQ", .newer),
      ("LK1QY-QQGQQ-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSPS-7JTC", .typo),
      ("LK1QY-QQ9XS-QZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSSF-G48N", .typo),
      ("LK1QY-QQ9XS-SZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSVA-JHJL", .typo),
      ("LK1QY-QQ9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSQQ-XQ4QQ-3G2UE-G4F", .typo),
      ("LK1QY-QQ9XS-9ZQG3-YYC5Z-5TPWX-QERGD-3C8G7-R7S2R-G4R5J-J6DFA-G4X42-HT9D4-6HSZQ-SR5DV-UAT", .typo),
      ("LK1Q1QYQQ9XS9ZQG3YYC5Z5TPWXQERGD3C8G7R7S2RG4R5JJ6DFAG4X42HT9D46HSS8GS3V", .foreign),
    ] as [(String, PairingCodeError)])
  func eachFaultIsNamed(text: String, error: PairingCodeError) {
    #expect(throws: error) { try PairingCode(text) }
    #expect(error.description.contains(": "), "a fault, then the next step")
  }

  @Test func textOfAnyLengthIsRefused() {
    var random = SeededRandom()
    for count in [91, 1_000, 1 << 20] {
      #expect(throws: PairingCodeError.self) { try PairingCode("LK1" + String(repeating: "Q", count: count)) }
    }
    for _ in 0..<2_000 {
      let text = String(decoding: random.bytes(random.below(120)), as: UTF8.self)
      #expect(throws: PairingCodeError.self, "\(random.note)") { try PairingCode(text) }
      #expect(throws: PairingCodeError.self, "\(random.note)") { try PairingCode("lk1" + text) }
    }
  }

  @Test func theSecretIsNotShownByAccident() {
    let code = Self.known(address: nil)
    #expect(!"\(code)".contains("16, 17, 18") && "\(code)".contains("redacted"))
  }
}
