import Synchronization
import Testing

@testable import LatchkeyNode

/// Tests of whether the agent's word on a sleep is awaited.
@Suite struct SleepNewsTests {
  private final class Clock: Sendable {
    let slept = Mutex<Int64>(70_000)
  }

  @Test("A sleep is awaited until the agent has told of it; what is too short to be told is not")
  func awaited() {
    let clock = Clock()
    let news = SleepNews { clock.slept.withLock { $0 } }
    func sleep(_ milliseconds: Int64) { clock.slept.withLock { $0 += milliseconds } }
    #expect(!news.isAwaited, "What was before the start is not.")
    sleep(2_000)
    #expect(!news.isAwaited)
    sleep(600)
    #expect(news.isAwaited, "Short sleeps add up, as they do for the agent.")
    news.told()
    #expect(!news.isAwaited)
    sleep(3_600_000)
    #expect(news.isAwaited)
    news.told()
    #expect(!news.isAwaited)
  }
}
