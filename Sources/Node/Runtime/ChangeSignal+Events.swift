extension ChangeSignal {
  /// Returns a stream of what a closure finds new: at once, and again after each change.
  ///
  /// - Parameters:
  ///   - count: the events that are kept for a slow reader, the newest.
  ///   - seen: what the closure compares with; it keeps there what it has found.
  func events<Event: Sendable, Seen: Sendable>(
    keepingNewest count: Int, since seen: Seen, _ look: @escaping @Sendable (_ seen: inout Seen) async -> [Event]
  ) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(count))
    let task = Task {
      var seen = seen
      while !Task.isCancelled {
        let version = version
        for event in await look(&seen) { continuation.yield(event) }
        await wait(after: version)
      }
      continuation.finish()
    }
    // The stream's end ends the task that feeds it, which nothing else knows of.
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
