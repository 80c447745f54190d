import LatchkeyModel
import Testing

/// Tests of hexadecimal text.
@Suite struct HexadecimalTests {
  @Test("Any collection of bytes is written with two digits for each, and read back")
  func collections() {
    let bytes: [UInt8] = [0x00, 0x0F, 0x10, 0x9A, 0xFF]
    #expect(Hexadecimal.encode(bytes) == "000f109aff")
    #expect(Hexadecimal.encode(bytes.dropFirst(2)) == "109aff")
    #expect(Hexadecimal.encode(bytes.reversed()) == "ff9a100f00")
    #expect(Hexadecimal.encode(bytes.lazy.map { $0 }) == "000f109aff")
    #expect(Hexadecimal.encode([]) == "")
    #expect(Hexadecimal.decode("000F109aff") == bytes && Hexadecimal.decode("0") == nil)
  }
}
