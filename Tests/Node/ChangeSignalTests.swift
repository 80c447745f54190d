import Testing

@testable import LatchkeyNode

/// Tests of the timer for waits that may be cancelled.
@Suite struct AlarmClockTests {
  @Test("Alarms ring once each, earliest first, even if set while a task sleeps until a later one")
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

  @Test("A cancelled alarm does not ring, and leaves no resources behind")
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

  @Test("Waits that are ended early leave no sleeping tasks behind")
  func manyShortWaits() async {
    let clock = AlarmClock()
    for _ in 0..<1_000 { clock.cancel(clock.set(after: 3_600_000) {}) }
    #expect(clock.count == 0)
    #expect(clock.sleepers == 1)
  }
}

/// Tests of the signal that wakes waiting tasks.
@Suite struct ChangeSignalTests {
  @Test("A change between the check and the wait is not missed")
  func missed() async {
    let signal = ChangeSignal()
    let seen = signal.version
    signal.notify()
    await signal.wait(after: seen)
    await signal.wait(after: seen, milliseconds: 3_600_000)
  }

  @Test("A change wakes every waiting task, with or without a time limit", arguments: [nil, 3_600_000])
  func woken(milliseconds: Int64?) async {
    let signal = ChangeSignal()
    let seen = signal.version
    await withDiscardingTaskGroup { group in
      for _ in 0..<20 { group.addTask { await signal.wait(after: seen, milliseconds: milliseconds) } }
      group.addTask { signal.notify() }
    }
    #expect(signal.version == seen + 1)
  }

  @Test("A time limit ends a wait without a change")
  func timeout() async {
    let signal = ChangeSignal()
    await signal.wait(after: signal.version, milliseconds: 10)
    await signal.wait(after: signal.version, milliseconds: 0)
    #expect(signal.version == 0)
  }

  @Test("A cancelled task stops waiting", arguments: [nil, 3_600_000])
  func cancelled(milliseconds: Int64?) async {
    let signal = ChangeSignal()
    let waiting = Task { await signal.wait(after: signal.version, milliseconds: milliseconds) }
    waiting.cancel()
    await waiting.value
    #expect(signal.version == 0)
  }
}
