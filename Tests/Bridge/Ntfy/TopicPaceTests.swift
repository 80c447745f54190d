import Testing

@testable import LatchkeyBridge

@Suite struct TopicPaceTests {
  @Test("A flood is read at a steady pace, and told while it lasts")
  func flood() {
    let start = ContinuousClock.now
    var (pace, now, read) = (TopicPace(), start, 0)
    while now - start < .seconds(3_600) {
      read += 1
      if let pause = pace.count(at: now) { now += pause }
    }
    #expect(read <= TopicPace.most + 3_601 * TopicPace.perSecond)
    #expect(pace.sentence(at: now)?.contains("faster than it is read") == true)
    #expect(pace.sentence(at: now + .seconds(600)) == nil)
  }

  @Test("What a family posts in a day, and what a server has kept, is read at once")
  func usual() {
    var (pace, now) = (TopicPace(), ContinuousClock.now)
    for _ in 1..<TopicPace.most { #expect(pace.count(at: now) == nil) }
    now += .seconds(1)
    for _ in 0..<1_000 {
      now += .milliseconds(20)
      #expect(pace.count(at: now) == nil)
    }
    #expect(pace.sentence(at: now) == nil)
  }
}
