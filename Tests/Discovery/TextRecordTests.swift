import Testing

@testable import LatchkeyDiscovery

struct TextRecordTests {
  @Test func bytesOfAnyValueGoThereAndBack() throws {
    let hash: [UInt8] = [0, 0xff, 0x3d, 0x3d, 0, 0x22, 0x5c, 0x0a]
    let text: [String: [UInt8]] = ["v": [0x31], "n": Array(0...7), "h": hash, "d": []]
    let entries = try #require(TextRecord.entries(text))
    #expect(entries.first == Array("v=1".utf8))
    #expect(TextRecord.parse(entries) == text)
  }

  @Test func hostileEntriesAreReadWithinBounds() {
    let entries: [[UInt8]] = [
      [], Array("=nokey".utf8), [0xff, 0xfe, 0x3d, 1], Array("flag".utf8), Array("N=first".utf8),
      Array("n=second".utf8),
      [0x3d], Array("a\u{1}b=1".utf8),
    ]
    #expect(TextRecord.parse(entries) == ["flag": [], "n": Array("first".utf8)])
  }

  @Test func noMoreThanSixteenEntriesAndThirteenHundredBytesAreRead() {
    let many = (0..<1000).map { Array("k\($0)=x".utf8) }
    #expect(TextRecord.parse(many).count == 16)
    let large = (0..<16).map { Array("k\($0)=".utf8) + [UInt8](repeating: 0, count: 200) }
    let read = TextRecord.parse(large)
    #expect(read.count == 6)
    #expect(TextRecord.parse([[UInt8](repeating: 0x61, count: 70_000)]).isEmpty)
  }

  @Test(
    arguments: [
      ["": [1]], ["a=b": [1]], ["ü": [1]], ["k": [UInt8](repeating: 0, count: 254)],
      Dictionary(uniqueKeysWithValues: (0..<17).map { ("k\($0)", [UInt8(1)]) }),
      Dictionary(uniqueKeysWithValues: (0..<6).map { ("k\($0)", [UInt8](repeating: 0, count: 250)) }),
    ] as [[String: [UInt8]]])
  func whatCannotBeAnnouncedIsNotWritten(text: [String: [UInt8]]) {
    #expect(TextRecord.entries(text) == nil)
  }

  @Test func aRecordOnTheWireIsTakenApart() {
    #expect(TextRecord.entries(wire: []).isEmpty)
    #expect(TextRecord.entries(wire: [3, 0x76, 0x3d, 0x31, 0, 1, 0x61]) == [[0x76, 0x3d, 0x31], [], [0x61]])
    #expect(TextRecord.entries(wire: [1, 0x61, 2, 0x62]) == [[0x61]], "the second is cut off")
    #expect(TextRecord.entries(wire: [255]).isEmpty)
    // One more than is read, so that the reader sees that there was more.
    #expect(TextRecord.entries(wire: [UInt8](repeating: 0, count: 2_048)).count == DiscoveryLimits.textEntries + 1)
  }

  @Test func theLargestEntryIsWritten() {
    #expect(TextRecord.entries(["k": [UInt8](repeating: 0, count: 253)])?.first?.count == 255)
  }
}
