import LatchkeyTestSupport
import Testing

@testable import LatchkeyModel

@Suite struct CrockfordTests {
  @Test func bytesComeBackFromText() throws {
    var random = SeededRandom()
    for count in 0..<60 {
      let bytes = random.bytes(count)
      let text = Crockford.encode(bytes)
      #expect(text.utf8.count == (count * 8 + 4) / 5)
      let values = try #require(Crockford.values(text))
      #expect(Crockford.bytes(values) == bytes, "\(random.note)")
    }
  }

  @Test(
    arguments: [
      ([], ""), ([0], "00"), ([0xFF], "ZW"), ([0x12, 0x34], "28T0"), ([0, 0, 0, 0, 0], "00000000"),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "ZZZZZZZZ"),
    ] as [([UInt8], String)])
  func knownTexts(bytes: [UInt8], text: String) {
    #expect(Crockford.encode(bytes) == text)
  }

  @Test func lookAlikesAndEitherCaseAreRead() {
    #expect(Crockford.values("oO0iIlL1") == [0, 0, 0, 1, 1, 1, 1, 1])
    #expect(Crockford.values("abcdefghjkmnpqrstvwxyz") == Crockford.values("ABCDEFGHJKMNPQRSTVWXYZ"))
    for text in ["u", "U", "-", " ", "ä", "\u{0}", "A!"] { #expect(Crockford.values(text) == nil) }
  }

  @Test func leftOverBitsMustBeZero() {
    #expect(Crockford.bytes([0, 1]) == nil)
    #expect(Crockford.bytes([1]) == nil)
    #expect(Crockford.bytes([31, 28]) == [0xFF])
  }

  @Test func theCheckFindsEveryWrongSymbolAndNearlyEverySwap() {
    var random = SeededRandom()
    for _ in 0..<20 {
      let values = random.bytes(32).map { $0 & 31 }
      let check = Crockford.check(values)
      for position in values.indices {
        for wrong in UInt8(0)..<32 where wrong != values[position] {
          var changed = values
          changed[position] = wrong
          #expect(Crockford.check(changed) != check, "\(random.note)")
        }
      }
    }
    var missed: [[UInt8]] = []
    for left in UInt8(0)..<32 {
      for right in UInt8(0)..<left where Crockford.check([left, right]) == Crockford.check([right, left]) {
        missed.append([left, right])
      }
    }
    #expect(missed == [[31, 0]])
  }
}
