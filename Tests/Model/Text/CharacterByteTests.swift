import LatchkeyModel
import Testing

/// A byte is a letter or a digit if it is the ASCII character of one.
@Suite struct CharacterByteTests {
  @Test func onlyASCIICharactersAreLettersAndDigits() {
    func bytes(_ fits: (UInt8) -> Bool) -> String {
      String(decoding: (UInt8.min...UInt8.max).filter(fits), as: UTF8.self)
    }
    let (capitals, letters, digits) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789")
    #expect(bytes(\.isDigit) == digits)
    #expect(bytes(\.isLowercaseLetter) == letters)
    #expect(bytes(\.isLetterOrDigit) == digits + capitals + letters)
  }
}
