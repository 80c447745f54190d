import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct HybridTimestampTests {
  private func device(_ byte: UInt8) throws -> DeviceID {
    try #require(DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)))
  }

  @Test func theWallClockLeadsAndTheCounterTellsTheRestApart() throws {
    let author = try device(1)
    let first = HybridTimestamp.next(after: nil, wall: 100, author: author)
    #expect(first == HybridTimestamp(wall: 100, counter: 0, author: author))
    let second = HybridTimestamp.next(after: first, wall: 100, author: author)
    #expect(second == HybridTimestamp(wall: 100, counter: 1, author: author))
    let back = HybridTimestamp.next(after: second, wall: 5, author: author)
    #expect(back == HybridTimestamp(wall: 100, counter: 2, author: author))
    let on = HybridTimestamp.next(after: back, wall: 101, author: author)
    #expect(on == HybridTimestamp(wall: 101, counter: 0, author: author))
  }

  @Test func eachReadingIsAfterTheLastWhateverTheClocksSay() throws {
    var random = SeededRandom()
    var last: HybridTimestamp?
    for _ in 0..<2_000 {
      let wall = random.pick([0, Int64(random.below(50)), Int64.random(in: -1_000...1_000_000, using: &random)])
      let next = HybridTimestamp.next(after: last, wall: wall, author: try device(UInt8(random.below(3))))
      if let last { #expect(last < next, "\(random.note)") }
      #expect(next.wall >= wall)
      last = next
      if random.once(in: 20) { last?.counter = .max }
    }
  }

  @Test func orderIsWallThenCounterThenAuthor() throws {
    let (low, high) = (try device(1), try device(2))
    let sorted = [
      HybridTimestamp(wall: 1, counter: 9, author: high), HybridTimestamp(wall: 2, counter: 0, author: high),
      HybridTimestamp(wall: 2, counter: 1, author: low), HybridTimestamp(wall: 2, counter: 1, author: high),
    ]
    #expect(sorted.reversed().sorted() == sorted)
    for (index, earlier) in sorted.enumerated() {
      for later in sorted[(index + 1)...] { #expect(earlier < later && !(later < earlier)) }
    }
  }

  /// Another machine's clock may be set to the end of time; ours must go on.
  @Test func theLastReadingOfAllIsNoTrap() throws {
    let author = try device(1)
    let last = HybridTimestamp(wall: .max, counter: .max, author: author)
    #expect(HybridTimestamp.next(after: last, wall: 0, author: author).wall == .max)
  }

  @Test func aReadingCanBeMovedAfterAnother() throws {
    let reading = HybridTimestamp(wall: 5, counter: 3, author: try device(1))
    let earlier = HybridTimestamp(wall: 5, counter: 2, author: try device(2))
    #expect(reading.after(nil) == reading)
    #expect(reading.after(earlier) == reading)
    #expect(reading.after(reading) == HybridTimestamp(wall: 5, counter: 4, author: try device(1)))
    let later = HybridTimestamp(wall: 9, counter: .max, author: try device(2))
    #expect(reading.after(later) == HybridTimestamp(wall: 10, counter: 0, author: try device(1)))
  }
}
