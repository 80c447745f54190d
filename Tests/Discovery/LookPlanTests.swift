import Testing

@testable import LatchkeyDiscovery

/// Tests of every state of the plan and its transitions.
struct LookPlanTests {
  private static let start = Duration.seconds(1_000)

  private func plan(_ attention: Attention) -> LookPlan { LookPlan(attention, at: Self.start) }

  /// A patient plan that has seen a crowd at its start, and looks for a moment.
  private func crowded() -> LookPlan {
    var plan = plan(.patient(crowd: 0, misses: true))
    plan.sees(others: 9, at: Self.start + .milliseconds(100))
    return plan
  }

  /// Wakes the plan at a time at which nothing remains to be looked up.
  private func wake(_ plan: inout LookPlan, isBehind: Bool = false, jitter: Double = 0) {
    guard let time = plan.nextWake else { return }
    plan.wake(at: time, isBehind: isBehind, jitter: jitter)
  }

  @Test func itBeginsAsItIsTold() {
    for (attention, isLooking) in [(Attention.none, false), (.patient(crowd: 40, misses: true), true), (.full, true)] {
      #expect(plan(attention).isLooking == isLooking)
      #expect(plan(attention).nextWake == nil)
    }
  }

  @Test func whoLooksAtAllSeesAnyCrowd() {
    var plan = plan(.full)
    plan.sees(others: 1_000, at: Self.start)
    #expect(plan.isLooking && plan.nextWake == nil)
    var silent = self.plan(.none)
    silent.sees(others: 1_000, at: Self.start)
    #expect(!silent.isLooking && silent.nextWake == nil)
  }

  @Test func aFewAreLookedForOn() {
    var plan = plan(.patient(crowd: 8, misses: true))
    plan.sees(others: 8, at: Self.start)
    #expect(plan.isLooking && plan.nextWake == nil)
  }

  @Test func inACrowdALookLastsAMoment() {
    var plan = crowded()
    #expect(plan.isLooking && plan.nextWake == Self.start + CrowdPatience.look)
    // More of them make it no longer, and a call before its time ends nothing.
    plan.sees(others: 40, at: Self.start + .milliseconds(500))
    plan.wake(at: Self.start + .milliseconds(899), isBehind: false, jitter: 0)
    #expect(plan.isLooking && plan.nextWake == Self.start + CrowdPatience.look)
    wake(&plan)
    #expect(!plan.isLooking && plan.nextWake == Self.start + CrowdPatience.look + .seconds(15))
    // A crowd that comes late, as after a router's restart, is looked at for as long.
    var late = self.plan(.patient(crowd: 0, misses: true))
    late.sees(others: 9, at: Self.start + .seconds(60))
    #expect(late.isLooking && late.nextWake == Self.start + .seconds(60) + CrowdPatience.look)
  }

  @Test func aLookGoesOnForWhatIsToBeLookedUpYet() {
    var plan = crowded()
    var looks = 0
    while plan.isLooking, looks < 100 {
      wake(&plan, isBehind: true)
      looks += 1
    }
    #expect(looks == 8, "900 ms, and 300 ms seven times")
    #expect(plan.nextWake == Self.start + CrowdPatience.longLook + .seconds(15))
  }

  @Test func afterAPauseALookBeginsAnew() throws {
    var plan = crowded()
    wake(&plan)
    let began = try #require(plan.nextWake)
    wake(&plan)
    #expect(plan.isLooking && plan.nextWake == nil)
    // Pauses become longer, and are random.
    plan.sees(others: 9, at: began)
    wake(&plan, jitter: 1)
    #expect(plan.nextWake == began + CrowdPatience.look + .seconds(120))
  }

  @Test func anotherNetworkCutsAPauseShort() {
    var plan = crowded()
    // A new look begins, and there may be no crowd.
    plan.networkMoved(at: Self.start + .milliseconds(500), jitter: 1)
    #expect(plan.isLooking && plan.nextWake == nil)
    plan.sees(others: 9, at: Self.start + .milliseconds(600))
    #expect(plan.nextWake == Self.start + .milliseconds(500) + CrowdPatience.look)
    wake(&plan)
    let moved = Self.start + .seconds(5)
    plan.networkMoved(at: moved, jitter: 0.5)
    #expect(!plan.isLooking && plan.nextWake == moved + .milliseconds(1_500))
    wake(&plan)
    #expect(plan.isLooking)
  }

  @Test func whoMissesNobodyLeavesACrowdToOthers() {
    var plan = plan(.patient(crowd: 0, misses: false))
    #expect(plan.isLooking)
    plan.sees(others: 9, at: Self.start)
    wake(&plan)
    #expect(!plan.isLooking && plan.nextWake == nil)
    let lost = Self.start + .seconds(500)
    plan.attend(.patient(crowd: 0, misses: true), isRunning: true, at: lost, jitter: 1)
    #expect(!plan.isLooking && plan.nextWake == lost + .seconds(3))
    wake(&plan)
    #expect(plan.isLooking)
    // Found again, it looks to the end of its look.
    plan.sees(others: 9, at: lost + .seconds(3))
    plan.attend(.patient(crowd: 0, misses: false), isRunning: true, at: lost + .seconds(3), jitter: 0)
    wake(&plan)
    #expect(!plan.isLooking && plan.nextWake == nil)
    plan.networkMoved(at: lost + .seconds(60), jitter: 0)
    #expect(plan.nextWake == lost + .seconds(60))
  }

  @Test func whoIsToldOfACrowdWaits() {
    // Before the start all may have been switched on in one moment; of those that run, each loses
    // its peer on its own.
    for (isRunning, jitter, seconds) in [(false, 0.0, 15.0), (false, 1, 60), (true, 0, 0), (true, 1, 3)] {
      var plan = plan(.none)
      plan.attend(.patient(crowd: 9, misses: true), isRunning: isRunning, at: Self.start, jitter: jitter)
      #expect(!plan.isLooking && plan.nextWake == Self.start + .seconds(seconds))
    }
    var alone = plan(.none)
    alone.attend(.patient(crowd: 8, misses: true), isRunning: true, at: Self.start, jitter: 1)
    #expect(alone.isLooking && alone.nextWake == nil)
  }

  @Test func anotherCountIsNoNewBeginning() {
    var plan = crowded()
    let before = plan.nextWake
    plan.attend(.patient(crowd: 50, misses: true), isRunning: true, at: Self.start, jitter: 0)
    #expect(plan.isLooking && plan.nextWake == before)
    plan.attend(.patient(crowd: 50, misses: true), isRunning: true, at: Self.start + .seconds(9), jitter: 0)
    #expect(plan.nextWake == before)
  }

  @Test func fullAttentionEndsAPauseAndNoneEndsEverything() {
    var plan = crowded()
    wake(&plan)
    #expect(!plan.isLooking)
    let later = Self.start + .seconds(10)
    plan.attend(.full, isRunning: true, at: later, jitter: 0)
    #expect(plan.isLooking && plan.nextWake == nil)
    plan.attend(.none, isRunning: true, at: later, jitter: 0)
    #expect(!plan.isLooking && plan.nextWake == nil)
    // A look that begins later lasts as long as any.
    plan.attend(.patient(crowd: 0, misses: true), isRunning: true, at: later, jitter: 0)
    plan.sees(others: 9, at: later)
    #expect(plan.nextWake == later + CrowdPatience.look)
  }
}
