import Foundation
import LatchkeyTestSupport
import Testing

@testable import LatchkeyModel

@Suite struct DeviceIDTests {
  /// Computed by another program from the rule in words.
  private static let known: (bytes: [UInt8], text: String) = (
    [
      0x8D, 0x9B, 0x7D, 0x9B, 0x3F, 0x96, 0xE4, 0x16, 0x13, 0x2A, 0xB9, 0x7B, 0x55, 0xD1, 0xC7, 0xB2, 0xB9, 0x88, 0xA8,
      0xF2,
    ], "HPDQ-V6SZ-JVJ1-C4SA-Q5XN-BME7-PAWR-HA7J-8"
  )

  @Test func theTextFormIsTheKnownOne() throws {
    let id = try #require(DeviceID(bytes: Self.known.bytes))
    #expect(id.description == Self.known.text)
    #expect(id.short == "HPDQ-V6SZ")
    #expect(DeviceID(Self.known.text) == id)
  }

  @Test func itIsReadWithoutRegardToCaseDashesSpacesAndLookAlikes() {
    let id = DeviceID(bytes: Self.known.bytes)
    #expect(DeviceID(Self.known.text.lowercased()) == id)
    #expect(DeviceID(Self.known.text.replacing("-", with: "")) == id)
    #expect(DeviceID(" " + Self.known.text.replacing("-", with: " - ") + " ") == id)
    #expect(DeviceID(Self.known.text.replacing("1", with: "l")) == id)
  }

  @Test func textComesBackInGroups() {
    var random = SeededRandom()
    for _ in 0..<200 {
      let id = Samples.deviceID(&random)
      #expect(DeviceID(id.description) == id, "\(random.note)")
      #expect(id.description.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4, 4, 4, 1])
    }
  }

  @Test func everySingleWrongSymbolIsFound() {
    let symbols = Array(Self.known.text)
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    for position in symbols.indices where symbols[position] != "-" {
      for wrong in alphabet where wrong != symbols[position] {
        var text = symbols
        text[position] = wrong
        #expect(DeviceID(String(text)) == nil, "\(wrong) at \(position)")
      }
    }
  }

  @Test func anythingElseIsRefused() {
    for text in [
      "", "K", Self.known.text + "0", String(Self.known.text.dropLast()), Self.known.text.replacing("H", with: "U"),
      "ä",
    ] {
      #expect(DeviceID(text) == nil, "\(text)")
    }
    for count in [0, 19, 21, 32] { #expect(DeviceID(bytes: [UInt8](repeating: 0, count: count)) == nil) }
  }

  @Test func orderIsThatOfTheBytes() throws {
    let low = try #require(DeviceID(bytes: [UInt8](repeating: 0, count: 19) + [1]))
    let high = try #require(DeviceID(bytes: [1] + [UInt8](repeating: 0, count: 19)))
    #expect(low < high)
    #expect(!(high < low) && !(low < low))
  }

  @Test func itIsTextInJSON() throws {
    let id = try #require(DeviceID(bytes: Self.known.bytes))
    #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == "[\"\(Self.known.text)\"]")
    #expect(try JSONDecoder().decode([DeviceID].self, from: Data("[\"\(Self.known.text)\"]".utf8)) == [id])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([DeviceID].self, from: Data("[\"HPDQ\"]".utf8)) }
  }
}
