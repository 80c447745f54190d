import LatchkeyModel
import LatchkeyTestSupport
import Testing

@Suite struct BackoffTests {
  @Test func stepsGrowByHalfUpToAMinute() {
    var backoff = Backoff()
    let waits = (0..<14).map { _ in backoff.failed(jitter: 1) }
    #expect(
      waits == [
        1_000, 1_500, 2_250, 3_375, 5_062, 7_593, 11_390, 17_085, 25_628, 38_443, 57_665, 60_000, 60_000, 60_000,
      ])
    #expect(backoff.failures == 14)
  }

  @Test func theWaitIsBetweenHalfAndAllOfTheStep() {
    var random = SeededRandom()
    var backoff = Backoff()
    for _ in 0..<1_000 {
      var (least, most) = (backoff, backoff)
      let wait = backoff.failed(jitter: Double.random(in: 0...1, using: &random))
      let bounds = (least.failed(jitter: 0), most.failed(jitter: 1))
      #expect(wait >= bounds.0 && wait <= bounds.1, "\(random.note)")
      #expect((500...60_000).contains(wait))
    }
  }

  @Test func jitterSpreadsMachinesThatFailedTogether() {
    var random = SeededRandom()
    let waits = (0..<50).map { _ in
      var backoff = Backoff()
      return backoff.failed(jitter: Double.random(in: 0...1, using: &random))
    }
    #expect(Set(waits).count > 25, "\(random.note)")
  }

  @Test func jitterOutOfRangeIsBroughtIntoIt() {
    for (given, taken) in [(-5.0, 0.0), (7.0, 1.0), (.infinity, 1.0), (-.infinity, 0.0)] {
      var (left, right) = (Backoff(), Backoff())
      let waits = (left.failed(jitter: given), right.failed(jitter: taken))
      #expect(waits.0 == waits.1)
    }
  }

  @Test func aSignOfLifeBeginsAnew() {
    var backoff = Backoff()
    for _ in 0..<30 { _ = backoff.failed(jitter: 1) }
    backoff.reset()
    #expect(backoff == Backoff())
    let wait = backoff.failed(jitter: 1)
    #expect(wait == 1_000)
  }

  @Test func aBackoffWithoutJitterGoesFromItsFirstPauseToItsLongest() {
    var backoff = Backoff(first: 1_000, factor: 2, longest: 5_000)
    let pauses = (0..<4).map { _ in backoff.failed() }
    #expect(pauses == [1_000, 2_000, 4_000, 5_000])
    // A bound that is shorter than usual holds for one pause only.
    let bounded = backoff.failed(longest: 300)
    let next = backoff.failed(longest: 9_000)
    #expect(bounded == 300 && next == 5_000)
    #expect(backoff.failures == 6)
    backoff.reset()
    let first = backoff.failed()
    #expect(first == 1_000)
  }
}
