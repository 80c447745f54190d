import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite("Bech32m")
struct Bech32mTests {
  struct File: Decodable, Sendable {
    struct Text: Decodable, Sendable {
      let prefix: String
      let data: Hex
      let text: String
    }
    struct SymbolText: Decodable, Sendable {
      let text: String
      let symbols: [UInt8]
    }
    struct BadText: Decodable, Sendable {
      let text: String
      let fault: String
    }
    let texts: [Text]
    let symbolTexts: [SymbolText]
    let badTexts: [BadText]
  }

  static let file = Vectors.own("bech32m.json", as: File.self)

  @Test("the vectors exist")
  func coverage() throws {
    let file = try Self.file.get()
    #expect(file.texts.count >= 11 && file.symbolTexts.count == 7 && file.badTexts.count >= 19)
  }

  @Test("bytes are encoded and decoded again, in either case", arguments: (try? file.get().texts) ?? [])
  func texts(_ vector: File.Text) throws {
    let small = try Bech32m.encode(humanReadablePart: vector.prefix, data: vector.data.bytes)
    #expect(small == vector.text)
    let capital = try Bech32m.encode(
      humanReadablePart: vector.prefix.uppercased(), data: vector.data.bytes, uppercase: true)
    #expect(capital == vector.text.uppercased())
    for text in [small, capital] {
      let (prefix, data) = try Bech32m.decode(text)
      #expect(prefix == vector.prefix && data == vector.data.bytes)
    }
  }

  @Test("the valid strings of BIP-350", arguments: (try? file.get().symbolTexts) ?? [])
  func symbolTexts(_ vector: File.SymbolText) throws {
    let (prefix, symbols) = try Bech32m.decodeSymbols(vector.text)
    #expect(symbols == vector.symbols)
    let isCapital = vector.text == vector.text.uppercased() && vector.text != vector.text.lowercased()
    #expect(try Bech32m.encode(humanReadablePart: prefix, symbols: symbols, uppercase: isCapital) == vector.text)
  }

  @Test("the invalid strings of BIP-350 and this project's own", arguments: (try? file.get().badTexts) ?? [])
  func badTexts(_ vector: File.BadText) throws {
    let error = try #require(throws: Bech32mError.self) { try Bech32m.decode(vector.text) }
    #expect(String(describing: Mirror(reflecting: error).children.first?.label ?? caseName(error)) == vector.fault)
  }

  private func caseName(_ error: Bech32mError) -> String {
    switch error {
    case .tooLong: "tooLong"
    case .mixedCase: "mixedCase"
    case .invalidCharacter: "invalidCharacter"
    case .missingPrefix: "missingPrefix"
    case .tooShort: "tooShort"
    case .wrongChecksum: "wrongChecksum"
    case .wrongPadding: "wrongPadding"
    case .unusablePrefix: "unusablePrefix"
    }
  }

  @Test("faults state their position")
  func positions() throws {
    let text = try Bech32m.encode(humanReadablePart: "lk", data: [1, 2, 3, 4, 5, 6, 7, 8])
    for position in text.indices.map({ text.distance(from: text.startIndex, to: $0) }) {
      for wrong in ["b", " ", "é", "\u{0}", "💥"] as [Unicode.Scalar] where position > 2 || wrong != "b" {
        var scalars = Array(text.unicodeScalars)
        scalars[position] = wrong
        var forged = String.UnicodeScalarView()
        forged.append(contentsOf: scalars)
        #expect(throws: Bech32mError.invalidCharacter(wrong, position: position)) { try Bech32m.decode(String(forged)) }
      }
    }
    #expect(throws: Bech32mError.invalidCharacter("B", position: 4)) { try Bech32m.decode("LK1QBQQQQQQ") }
    #expect(throws: Bech32mError.mixedCase(position: 1)) { try Bech32m.decode("Lk1qqqqqqq") }
    #expect(throws: Bech32mError.tooLong(count: 91)) { try Bech32m.decode(String(repeating: "q", count: 91)) }
    #expect(throws: Bech32mError.tooLong(count: 1_000_000)) {
      try Bech32m.decode(String(repeating: "é", count: 1_000_000))
    }
    #expect(throws: Bech32mError.missingPrefix) { try Bech32m.decode("") }
  }

  @Test("up to four wrong characters are always detected", arguments: 1...4)
  func typos(_ count: Int) throws {
    var generator = SeededRandom(seed: UInt64(count))
    let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    let text = Array(try Bech32m.encode(humanReadablePart: "lk", data: generator.bytes(43)))
    for _ in 0..<3000 {
      var forged = text
      for position in (3..<text.count).shuffled(using: &generator).prefix(count) {
        forged[position] = alphabet.filter { $0 != text[position] }.randomElement(using: &generator) ?? "b"
      }
      #expect(throws: Bech32mError.wrongChecksum) { try Bech32m.decode(String(forged)) }
    }
  }

  @Test("inputs that cannot be encoded")
  func unencodable() throws {
    for prefix in ["", "l k", "lK", "é", "\u{7f}"] {
      #expect(throws: Bech32mError.unusablePrefix) { try Bech32m.encode(humanReadablePart: prefix, data: []) }
    }
    #expect(try Bech32m.encode(humanReadablePart: "lk", data: [UInt8](repeating: 0, count: 50)).count == 89)
    #expect(throws: Bech32mError.tooLong(count: 91)) {
      try Bech32m.encode(humanReadablePart: "lk", data: [UInt8](repeating: 0, count: 51))
    }
  }

  @Test("random text never traps, and decoded text is encoded to the same text")
  func randomText() throws {
    var generator = SeededRandom(seed: 5)
    for _ in 0..<5000 {
      let text = String(
        decoding: generator.bytes(Int.random(in: 0...100, using: &generator)).map { $0 & 0x7f }, as: UTF8.self)
      if let (prefix, data) = try? Bech32m.decode(text) {
        #expect(try Bech32m.encode(humanReadablePart: prefix, data: data) == text.lowercased())
      }
    }
  }

  @Test("errors are one sentence without raw characters")
  func sentences() {
    let errors: [Bech32mError] = [
      .tooLong(count: 95), .mixedCase(position: 3), .invalidCharacter("\u{1b}", position: 0), .missingPrefix, .tooShort,
      .wrongChecksum, .wrongPadding, .unusablePrefix,
    ]
    for error in errors {
      #expect(error.description.hasSuffix(".") && error.description.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
    #expect(Bech32mError.invalidCharacter("\u{1b}", position: 0).description.contains("Character 1, U+1B"))
  }
}
