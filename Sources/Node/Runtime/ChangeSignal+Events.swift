extension ChangeSignal {
  /// Returns a stream of the new values that a closure finds: immediately, and after each change.
  ///
  /// - Parameters:
  ///   - count: The number of events that are kept for a slow reader, newest first.
  ///   - seen: The initial state with which the closure compares.
  ///   - look: Returns the new values, and records them in `seen`.
  /// - Returns: The stream, which ends with its reader.
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
