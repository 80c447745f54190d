import LatchkeyProtocol
import Testing

@Suite struct AddressLadderTests {
  @Test func theBestOfEachKindComeFirst() {
    var ladder = AddressLadder<String>()
    ladder.add("other network", .elsewhere)
    ladder.add("announced 1", .announced)
    ladder.add("announced 2", .announced)
    ladder.add("last", .proven)
    ladder.add("given", .given)
    ladder.add("told", .told)
    ladder.add("before", .proven)
    #expect(
      ladder.order(without: [], lostRaces: 0)
        == ["last", "announced 1", "given", "told", "other network", "before", "announced 2"])
  }

  @Test func eachAddressIsTriedOnceAndNoneOfOurOwn() {
    var ladder = AddressLadder<String>()
    for rung in AddressLadder<String>.Rung.allCases {
      ladder.add("same", rung)
      ladder.add("own", rung)
    }
    #expect(ladder.order(without: ["own"], lostRaces: 0) == ["same"])
    #expect(AddressLadder<String>().order(without: [], lostRaces: 3).isEmpty)
  }

  /// A stranger that announces a hundred addresses for a peer cannot keep any other address away
  /// for ever.
  @Test func inTimeEachAddressIsAmongTheFirst() {
    var ladder = AddressLadder<String>()
    for number in 0..<100 { ladder.add("spoof \(number)", .announced) }
    ladder.add("true", .announced)
    ladder.add("given", .given)
    var raced: Set<String> = []
    for lost in 0..<101 { raced.formUnion(ladder.order(without: [], lostRaces: lost).prefix(8)) }
    #expect(raced.count == 102)
    #expect(ladder.order(without: [], lostRaces: 0).prefix(2).contains("given"))
  }
}
