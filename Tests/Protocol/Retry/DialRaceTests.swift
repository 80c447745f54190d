import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct DialRaceTests {
  private let begin = BootInstant(milliseconds: 1_000)

  @Test func startsAreAQuarterOfASecondApart() {
    var race = DialRace(["a", "b", "c"], now: begin)
    let step1 = race.start(now: begin)
    #expect(step1 == ["a"])
    let step2 = race.start(now: begin)
    #expect(step2 == [])
    #expect(race.nextTimer == begin + 250)
    let step3 = race.start(now: begin + 249)
    #expect(step3 == [])
    let step4 = race.start(now: begin + 250)
    #expect(step4 == ["b"])
    let step5 = race.start(now: begin + 500)
    #expect(step5 == ["c"])
    #expect(race.nextTimer == nil)
    #expect(!race.isOver)
  }

  @Test func afterAFailureTheNextNeedNotWait() {
    var race = DialRace(["a", "b"], now: begin)
    let step6 = race.start(now: begin)
    #expect(step6 == ["a"])
    race.failed("a", now: begin + 10)
    #expect(race.nextTimer == begin + 10)
    let step7 = race.start(now: begin + 10)
    #expect(step7 == ["b"])
    race.failed("b", now: begin + 20)
    #expect(race.isOver)
    #expect(race.winner == nil)
  }

  @Test func theFirstThatIsAuthenticatedWins() {
    var race = DialRace(["a", "b", "c"], now: begin)
    _ = race.start(now: begin)
    _ = race.start(now: begin + 250)
    let step8 = race.authenticated("c")
    #expect(!step8, "it was not called")
    let step9 = race.authenticated("b")
    #expect(step9)
    let step10 = race.authenticated("a")
    #expect(!step10)
    #expect(race.isOver)
    #expect(race.winner == "b")
    #expect(race.nextTimer == nil)
    let step11 = race.start(now: begin + 500)
    #expect(step11 == [])
  }

  @Test func whatBecomesKnownMeanwhileTakesPartFirst() {
    var race = DialRace(["old", "older"], now: begin)
    let step12 = race.start(now: begin)
    #expect(step12 == ["old"])
    race.offered(["old", "new"], now: begin + 20)
    #expect(race.nextTimer == begin + 20, "it waits for no other")
    let step13 = race.start(now: begin + 20)
    #expect(step13 == ["new"])
    race.offered(["new"], now: begin + 30)
    #expect(race.nextTimer == begin + 270, "what is known already changes nothing")
    let step14 = race.start(now: begin + 500)
    #expect(step14 == ["older"])
    race.failed("old", now: begin + 600)
    race.offered(["old"], now: begin + 600)
    let step15 = race.start(now: begin + 900)
    #expect(step15 == [], "nobody takes part twice")
  }

  @Test func newsTakesThePlaceOfTheLastThatWaits() {
    var race = DialRace(Array(1...12), now: begin)
    _ = race.start(now: begin)
    race.offered([20, 21], now: begin + 1)
    var called: [Int] = []
    for step in Int64(1)...20 { called += race.start(now: begin + 250 * step) }
    #expect(called == [20, 21, 2, 3, 4, 5, 6])
  }

  @Test func aHangingCallHoldsTheRaceOpenForNews() {
    var race = DialRace(["hangs"], now: begin)
    let step16 = race.start(now: begin)
    #expect(step16 == ["hangs"])
    #expect(!race.isOver)
    race.offered(["found"], now: begin + 1_000)
    let step17 = race.start(now: begin + 1_000)
    #expect(step17 == ["found"])
    let step18 = race.authenticated("found")
    #expect(step18)
  }

  /// In any order of events, at most eight addresses take part, each once, and never two of them
  /// win.
  @Test func rulesHoldInEveryOrder() {
    for seed in UInt64(0)..<500 {
      var random = SeededRandom(seed: seed)
      var now = begin
      var race = DialRace((0..<Int.random(in: 0...12, using: &random)).map { $0 }, now: now)
      var (called, winners) = ([Int](), 0)
      for _ in 0..<60 {
        now = now + Int64.random(in: 0...300, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: called += race.start(now: now)
        case 1: race.offered([Int.random(in: 0..<20, using: &random)], now: now)
        case 2: if let any = called.randomElement(using: &random) { race.failed(any, now: now) }
        default:
          if Int.random(in: 0..<8, using: &random) == 0, let any = called.randomElement(using: &random) {
            winners += race.authenticated(any) ? 1 : 0
          }
        }
      }
      #expect(called.count <= 8 && Set(called).count == called.count && winners <= 1, "seed \(seed)")
    }
  }
}
