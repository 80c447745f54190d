/// One queue for everything that can happen, read by one reader, so that nothing happens in the middle of something
/// else.
final class PairingEvents: Sendable {
  private let stream: AsyncStream<PairingEvent>
  private let continuation: AsyncStream<PairingEvent>.Continuation

  private init() {
    // Each source waits for its next event, so this many are never there; if they were, the newest matter.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
  }

  /// Runs `body` with a queue that receives Ctrl-C and changes of the terminal's size.
  static func during<Value: Sendable>(
    console: any Console, _ body: (PairingEvents) async throws -> Value
  ) async throws -> Value {
    let events = PairingEvents()
    // Watched from here on, not from when a task comes to it.
    let (interrupts, resizes) = (console.interrupts(), console.resizes())
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in interrupts { events.send(.interrupted) } }
      group.addTask { for await _ in resizes { events.send(.resized) } }
      defer { group.cancelAll() }
      return try await body(events)
    }
  }

  func send(_ event: PairingEvent) {
    continuation.yield(event)
  }

  /// Returns the next event, to one reader at a time; throws `CancellationError` if the task is cancelled.
  func next() async throws -> PairingEvent {
    for await event in stream { return event }
    throw CancellationError()
  }
}
