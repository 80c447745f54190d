import LatchkeyModel
import Testing

@Suite struct PrintableASCIITests {
  @Test func theCharactersThatAreShownAreThoseOfTheTables() {
    for value in UInt8.min...0x7F {
      let scalar = Unicode.Scalar(value)
      let text = "a" + String(scalar) + "b"
      let isControl = scalar.properties.generalCategory == .control
      #expect(PrintableText.of(text) == (isControl ? "a\u{FFFD}b" : text))
      // Beside a character for which the tables are read.
      #expect(PrintableText.of(text + "é") == (isControl ? "a\u{FFFD}bé" : text + "é"))
    }
  }

  @Test func jsonKeepsItsLinesAndEscapesTheRest() {
    #expect(PrintableText.escapedJSON("{\n\"a\": 1\n}") == "{\n\"a\": 1\n}")
    #expect(PrintableText.escapedJSON("\u{7F}é\u{200B}\t") == "\\u007fé\\u200b\\u0009")
  }
}
