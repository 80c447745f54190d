import Testing

@testable import LatchkeySystem

/// Tests of the detection of sleep and of a wall clock that was set, by three clocks.
@Suite struct ClockJumpTests {
  @Test func onlyJumpsOfTheClockAreNoticed() {
    func reading(wall: Int, awake: Int, boot: Int) -> ClockJump.Reading {
      ClockJump.Reading(wall: .seconds(wall), awake: .seconds(awake), boot: .seconds(boot))
    }
    var clock = ClockJump(reading(wall: 1000, awake: 50, boot: 50))
    func expect(_ reading: ClockJump.Reading, _ jump: Bool, _ why: Comment? = nil) {
      let noticed = clock.change(at: reading).exceeds(.seconds(10))
      #expect(noticed == jump, why)
    }
    expect(reading(wall: 4600, awake: 3650, boot: 3650), false, "an hour passed")
    expect(reading(wall: 4703, awake: 3750, boot: 3750), false, "slewed by three seconds")
    expect(reading(wall: 1, awake: 3751, boot: 3751), true, "set back")
    expect(reading(wall: 2, awake: 3752, boot: 3752), false)
    expect(reading(wall: 99_999_999, awake: 3753, boot: 3753), true, "set forward")
    expect(reading(wall: 100_000_099, awake: 3753, boot: 3853), true, "slept")
    expect(reading(wall: 100_000_100, awake: 3754, boot: 3854), false)
  }

  @Test func aChangeIsMeasured() {
    var clock = ClockJump(ClockJump.Reading(wall: .seconds(100), awake: .seconds(50), boot: .seconds(60)))
    let change = clock.change(at: ClockJump.Reading(wall: .seconds(90), awake: .seconds(53), boot: .seconds(70)))
    #expect(change.passed == .seconds(10) && change.slept == .seconds(7) && change.set == .seconds(-20))
    let exact = ClockJump.Change(passed: .seconds(9), slept: .seconds(2), set: .seconds(-2))
    #expect(!exact.exceeds(.seconds(2)) && exact.exceeds(.milliseconds(1_999)))
  }

  @Test func theMachinesOwnClocksAreReadInOrder() {
    let (first, second) = (ClockJump.Reading.now(), ClockJump.Reading.now())
    var clock = ClockJump(first)
    let change = clock.change(at: second)
    #expect(change.passed >= .zero && !change.exceeds(.seconds(60)))
    let (awake, boot) = (SystemClock.awake.now, SystemClock.boot.now)
    #expect(boot >= awake)
    #expect(SystemClock.wall.milliseconds > 1_700_000_000_000)
  }
}
