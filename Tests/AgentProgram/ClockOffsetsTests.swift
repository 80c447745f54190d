import LatchkeyModel
import Testing

@testable import LatchkeyAgentProgram

/// Tests of how a sleep and a wall clock that was set are seen: Protocol/13-agent.md §9.
@Suite struct ClockOffsetsTests {
  /// The clocks of a machine that can fall asleep while they are read.
  private final class Machine {
    var (boot, awake, wall): (Int64, Int64, Int64) = (1_000_000, 500_000, 9_000_000)
    /// The number of readings after which it sleeps, and for how long.
    var sleep: (after: Int, milliseconds: Int64)?

    var offsets: ClockOffsets {
      ClockOffsets(
        boot: { self.read { $0.boot } }, awake: { self.read { $0.awake } }, wall: { self.read { $0.wall } })
    }

    func pass(_ milliseconds: Int64, asleep: Bool = false) {
      boot += milliseconds
      wall += milliseconds
      if !asleep { awake += milliseconds }
    }

    private func read(_ clock: (Machine) -> Int64) -> Int64 {
      let value = clock(self)
      if let due = sleep {
        sleep = due.after > 1 ? (due.after - 1, due.milliseconds) : nil
        if due.after == 1 { pass(due.milliseconds, asleep: true) }
      }
      return value
    }
  }

  @Test("A sleep and a wall clock that was set are told once, small ones when they add up")
  func told() {
    let machine = Machine()
    var offsets = machine.offsets
    machine.pass(5_000)
    var reading = offsets.read()
    #expect(reading.now == BootInstant(milliseconds: 1_005_000) && reading.slept == nil && reading.set == nil)
    machine.pass(1_500, asleep: true)
    #expect(offsets.read().slept == nil)
    machine.pass(1_500, asleep: true)
    #expect(offsets.read().slept == 3_000)
    machine.wall -= 3_600_000
    reading = offsets.read()
    #expect(reading.slept == nil && reading.set == -3_600_000)
    reading = offsets.read()
    #expect(reading.slept == nil && reading.set == nil)
  }

  @Test("A machine that falls asleep between two readings is seen to have slept by the next one", arguments: 1...4)
  func between(readings: Int) {
    let machine = Machine()
    var offsets = machine.offsets
    machine.sleep = (readings, 7_200_000)
    let first = offsets.read()
    #expect(first.now == BootInstant(milliseconds: 1_000_000) && first.slept == nil && first.set == nil)
    let second = offsets.read()
    #expect(second.now == BootInstant(milliseconds: 8_200_000) && second.slept == 7_200_000 && second.set == nil)
  }
}
