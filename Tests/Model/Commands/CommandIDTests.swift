import Foundation
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct CommandIDTests {
  /// The example of RFC 9562, appendix A.6.
  @Test func theExampleOfTheStandardIsMade() {
    let id = CommandID(
      milliseconds: 0x017F_22E2_79B0, random: [0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F])
    #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  }

  @Test func versionAndVariantAreSetWhateverTheRandomBytes() {
    var random = SeededRandom()
    for _ in 0..<500 {
      let time = Int64.random(in: Int64.min...Int64.max, using: &random)
      let bytes = CommandID(milliseconds: time, random: random.bytes(10)).bytes
      #expect(bytes[6] >> 4 == 7 && bytes[8] >> 6 == 2, "\(random.note)")
      let written = bytes[..<6].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      #expect(written == UInt64(truncatingIfNeeded: time) & 0xFFFF_FFFF_FFFF, "\(random.note)")
    }
  }

  @Test func laterOnesSortLater() {
    var random = SeededRandom()
    var last = CommandID(milliseconds: 0, random: [UInt8](repeating: 0xFF, count: 10))
    for time in (1...500).map({ Int64($0) * 977 }) {
      let next = CommandID(milliseconds: time, random: random.bytes(10))
      #expect(last < next, "\(random.note)")
      last = next
    }
  }

  @Test func textComesBackWithAndWithoutDashes() {
    var random = SeededRandom()
    for _ in 0..<100 {
      let id = Samples.commandID(&random)
      #expect(CommandID(id.description) == id, "\(random.note)")
      #expect(CommandID(id.description.uppercased().replacing("-", with: "")) == id, "\(random.note)")
      #expect(CommandID(bytes: id.bytes) == id)
    }
    for text in ["", "0", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g"] {
      #expect(CommandID(text) == nil, "\(text)")
    }
  }

  @Test func itIsTextInJSON() throws {
    let id = CommandID(milliseconds: 5, random: [UInt8](repeating: 1, count: 10))
    #expect(try JSONDecoder().decode([CommandID].self, from: try JSONEncoder().encode([id])) == [id])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([CommandID].self, from: Data("[\"x\"]".utf8)) }
  }
}
