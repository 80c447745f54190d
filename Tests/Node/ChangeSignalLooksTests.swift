import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyNode

/// Tests of the loops of a node's parts.
@Suite struct ChangeSignalLooksTests {
  private struct Fault: Error {}
  private let signal = ChangeSignal()
  private let logger = NodeConfiguration(stateFolder: "", logLevel: "critical").logger

  @Test("A look follows at once, after its time, and after a change that came while it looked")
  func looks() async {
    var looks = 0
    try? await signal.follow { () throws(Fault) -> Int64? in
      looks += 1
      switch looks {
      case 1: return 1
      case 2:
        signal.notify()
        return nil
      default: throw Fault()
      }
    }
    #expect(looks == 3)
  }

  @Test("A look that failed is repeated after a while, without a change")
  func retry() async {
    let running = Task { [signal, logger] in
      var looks = 0
      await signal.follow(retry: 1, "it failed", logger) {
        looks += 1
        if looks < 3 { throw Fault() }
        withUnsafeCurrentTask { $0?.cancel() }
        return nil
      }
      return looks
    }
    #expect(await running.value == 3)
  }

  @Test("Where a change is waited for, nothing is looked at before it")
  func waiting() async {
    var seen: UInt64?
    let began = BootClock.now()
    try? await signal.follow(after: 20) { () throws(Fault) -> Int64? in throw Fault() }
    // The least that was asked for: a slow machine waits longer.
    #expect(BootClock.now() - began >= 15)
    let (signal, looked) = (signal, ChangeSignal())
    // A change that comes before it waits calls for nothing.
    let notifying = Task {
      while looked.version == 0 {
        signal.notify()
        await Task.yield()
      }
    }
    try? await signal.follow(after: nil) { () throws(Fault) -> Int64? in
      seen = signal.version
      looked.notify()
      throw Fault()
    }
    #expect(seen.map { $0 > 0 } == true)
    await notifying.value
  }

  @Test("Looks keep a rest between them, however many changes come")
  func rest() async {
    let began = BootClock.now()
    var looks = 0
    try? await signal.follow(rest: 20...20) { () throws(Fault) -> Int64? in
      signal.notify()
      looks += 1
      if looks == 3 { throw Fault() }
      return nil
    }
    // The least of two rests: a slow machine rests longer.
    #expect(BootClock.now() - began >= 35)
  }

  @Test("A cancelled task looks no more", .timeLimit(.minutes(1)))
  func cancelled() async {
    let running = Task { [signal] in
      var looks = 0
      await signal.follow {
        looks += 1
        return nil
      }
      return looks
    }
    running.cancel()
    #expect(await running.value <= 1)
  }

  @Test("What is looked for is found after a change, or not once the time is over")
  func first() async {
    let signal = signal
    let notifying = Task { signal.notify() }
    #expect(await signal.first { signal.version == 1 ? 7 : nil } == 7)
    await notifying.value
    var looks = 0
    let none: Int? = await signal.first(until: BootClock.now() + 30, pace: 5) {
      looks += 1
      return nil
    }
    #expect(none == nil && looks > 1)
  }
}
