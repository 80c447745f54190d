import Testing

@testable import LatchkeyNode

/// Tests of the timer for waits that may be cancelled.
@Suite struct AlarmClockTests {
  @Test("Alarms ring once each, the sooner one first, also if it was set while a task slept for the later one")
  func order() async {
    let clock = AlarmClock()
    let (rung, bell) = AsyncStream<Int>.makeStream()
    _ = clock.set(after: 60) { bell.yield(60) }
    _ = clock.set(after: 20) { bell.yield(20) }
    _ = clock.set(after: 100) {
      bell.yield(100)
      bell.finish()
    }
    var order: [Int] = []
    for await alarm in rung { order.append(alarm) }
    #expect(order == [20, 60, 100])
    #expect(clock.count == 0)
    #expect(clock.sleepers == 0)
  }

  @Test("An alarm that was cancelled does not ring, and leaves nothing behind")
  func cancel() async {
    let clock = AlarmClock()
    let (rung, bell) = AsyncStream<Int>.makeStream()
    clock.cancel(clock.set(after: 10) { bell.yield(10) })
    #expect(clock.count == 0)
    _ = clock.set(after: 30) {
      bell.yield(30)
      bell.finish()
    }
    var order: [Int] = []
    for await alarm in rung { order.append(alarm) }
    #expect(order == [30])
  }

  @Test("Whoever waits for an hour and is woken before costs no sleeping task each")
  func manyShortWaits() async {
    let clock = AlarmClock()
    for _ in 0..<1_000 { clock.cancel(clock.set(after: 3_600_000) {}) }
    #expect(clock.count == 0)
    #expect(clock.sleepers == 1)
  }
}

/// Tests of the signal that wakes waiting tasks.
@Suite struct ChangeSignalTests {
  @Test("A change between the look and the wait is not missed")
  func missed() async {
    let signal = ChangeSignal()
    let seen = signal.version
    signal.notify()
    await signal.wait(after: seen)
    await signal.wait(after: seen, milliseconds: 3_600_000)
  }

  @Test("Everybody who waits is woken by a change, with a time-out or without", arguments: [nil, 3_600_000])
  func woken(milliseconds: Int64?) async {
    let signal = ChangeSignal()
    let seen = signal.version
    await withDiscardingTaskGroup { group in
      for _ in 0..<20 { group.addTask { await signal.wait(after: seen, milliseconds: milliseconds) } }
      group.addTask { signal.notify() }
    }
    #expect(signal.version == seen + 1)
  }

  @Test("The time-out ends a wait that no change ends")
  func timeout() async {
    let signal = ChangeSignal()
    await signal.wait(after: signal.version, milliseconds: 10)
    await signal.wait(after: signal.version, milliseconds: 0)
    #expect(signal.version == 0)
  }

  @Test("A task that is cancelled waits no longer", arguments: [nil, 3_600_000])
  func cancelled(milliseconds: Int64?) async {
    let signal = ChangeSignal()
    let waiting = Task { await signal.wait(after: signal.version, milliseconds: milliseconds) }
    waiting.cancel()
    await waiting.value
    #expect(signal.version == 0)
  }
}
