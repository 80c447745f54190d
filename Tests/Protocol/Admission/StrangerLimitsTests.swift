import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct StrangerLimitsTests {
  @Test func aSourceHasEightPlacesAndTheRestStayFree() {
    var limits = StrangerLimits()
    let admitted = (0..<9).map { _ in limits.admit("192.0.2.1") }
    #expect(admitted == Array(repeating: true, count: 8) + [false])
    let other = limits.admit("192.0.2.2")
    #expect(other)
    #expect(limits.count == 9)
  }

  @Test func thereAreSixtyFourInAll() {
    var limits = StrangerLimits()
    let admitted = (0..<65).map { limits.admit("192.0.2.\($0)") }
    #expect(admitted == Array(repeating: true, count: 64) + [false])
    limits.release("192.0.2.3")
    let later = limits.admit("192.0.2.200")
    #expect(later)
    #expect(limits.count == 64)
  }

  @Test func aPlaceIsGivenBackOnce() {
    var limits = StrangerLimits()
    for _ in 0..<8 { _ = limits.admit("a") }
    limits.release("a")
    let admitted = [limits.admit("a"), limits.admit("a")]
    #expect(admitted == [true, false])
    limits.release("never seen")
    #expect(limits.count == 8)
    for _ in 0..<9 { limits.release("a") }
    #expect(limits.count == 0)
  }

  @Test func noOrderOfComingAndGoingBreaksTheLimits() {
    var random = SeededRandom()
    var limits = StrangerLimits()
    var present: [String: Int] = [:]
    for _ in 0..<5_000 {
      let source = "source \(random.below(20))"
      if random.once(in: 3) {
        limits.release(source)
        if let taken = present[source], taken > 0 { present[source] = taken - 1 }
      } else {
        let all = present.values.reduce(0, +)
        let admitted = limits.admit(source)
        #expect(
          admitted == (all < Limits.strangers && present[source, default: 0] < Limits.strangersPerSource),
          "\(random.note)")
        if admitted { present[source, default: 0] += 1 }
      }
      #expect(limits.count == present.values.reduce(0, +), "\(random.note)")
    }
  }
}
