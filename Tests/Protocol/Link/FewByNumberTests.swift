import LatchkeyProtocol
import Testing

/// Tests of the values that a link keeps by number.
@Suite struct FewByNumberTests {
  @Test("Values are found, changed in place, replaced and removed by their numbers")
  func changes() {
    var few = FewByNumber<[Int]>()
    few[3] = [30]
    few[5] = [50]
    few[4] = [40]
    #expect(few.keys == [3, 5, 4] && few.count == 3)
    few[5]?.append(51)
    few[6]?.append(60)
    few[3] = [31]
    #expect(few[5] == [50, 51] && few[6] == nil && few[3] == [31] && few.keys == [3, 5, 4])
    #expect(few.removeValue(forKey: 5) == [50, 51] && few.removeValue(forKey: 5) == nil)
    few[4] = nil
    few[4] = nil
    #expect(few.map(\.value) == [[31]] && few.map(\.key) == [3])
  }
}
