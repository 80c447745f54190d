import LatchkeyModel
import Testing

@testable import LatchkeyProtocol

/// Tests of PINs and of the text that they are kept as.
@Suite struct PINHashTests {
  @Test("A PIN is 4 to 12 ASCII digits")
  func pins() {
    for text in ["0000", "1234", "123456789012"] { #expect(PIN(text)?.digits == text) }
    for text in ["", "123", "1234567890123", "12a4", " 1234", "1234\n", "١٢٣٤", "+1234"] {
      #expect(PIN(text) == nil, "\(text)")
    }
    #expect(PIN("4711").map { "\($0)" } == "PIN(redacted)")
  }

  @Test("A hash fits its PIN alone, and has a salt of its own")
  func hashes() throws {
    let (pin, other) = (try #require(PIN("4711")), try #require(PIN("4712")))
    let hash = try #require(PINHash(hashing: pin))
    #expect(hash.matches(pin) && !hash.matches(other))
    #expect(PINHash(hash.text) == hash)
    #expect(PINHash(hashing: pin) != hash)
  }

  @Test("A text of another form or cost is refused")
  func forms() throws {
    let pin = try #require(PIN("4711"))
    let text = try #require(PINHash(hashing: pin)).text
    #expect(text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    let wrong = [
      "", "4711", text + "A", String(text.dropLast()), text + "$", text.replacing("m=19456", with: "m=4194304"),
      text.replacing("t=2", with: "t=9"), text.replacing("argon2id", with: "argon2i"), String(text.dropLast()) + "=",
      String(text.dropLast()) + "\u{0}",
    ]
    for text in wrong { #expect(PINHash(text) == nil, "\(text)") }
  }
}
