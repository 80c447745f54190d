import Synchronization
import Testing

@testable import LatchkeyNode

/// Tests of the operations of links, which begin with their service and end before the database is
/// closed.
struct LinkOperationsTests {
  /// The numbers of the operations that have run.
  private final class Done: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  @Test("Operations wait for the start, and then begin in their order")
  func start() async {
    let operations = LinkOperations()
    let done = Done()
    for number in 1...3 { operations.begin { done.add(number) } }
    #expect(done.all.isEmpty)
    operations.start()
    operations.begin { done.add(4) }
    operations.finish()
    await operations.allEnded()
    #expect(done.all == [1, 2, 3, 4])
  }

  @Test("An operation runs up to its first wait before the caller goes on")
  func atOnce() async {
    let operations = LinkOperations()
    operations.start()
    let done = Done()
    operations.begin {
      done.add(1)
      await Task.yield()
      done.add(2)
    }
    #expect(done.all.first == 1)
    operations.finish()
    await operations.allEnded()
    #expect(done.all == [1, 2])
  }

  @Test("The end waits for operations under way, and refuses further ones", .timeLimit(.minutes(1)))
  func end() async {
    let operations = LinkOperations()
    operations.start()
    let (signal, mayEnd) = AsyncStream<Void>.makeStream()
    let done = Done()
    operations.beginElsewhere {
      for await _ in signal {}
      done.add(2)
    }
    operations.begin { done.add(1) }
    operations.finish()
    operations.begin { done.add(3) }
    operations.beginElsewhere { done.add(3) }
    async let first: Void = {
      await operations.allEnded()
      done.add(4)
    }()
    async let second: Void = operations.allEnded()
    while operations.callers < 2 { await Task.yield() }
    #expect(done.all == [1])
    mayEnd.finish()
    _ = await (first, second)
    #expect(done.all == [1, 2, 4])
  }

  @Test("There is nothing to wait for if nothing has begun", .timeLimit(.minutes(1)))
  func nothing() async {
    let operations = LinkOperations()
    operations.begin {}
    operations.finish()
    await operations.allEnded()
  }
}
