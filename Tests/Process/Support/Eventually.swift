/// Repeats a question to another process until a condition holds, and throws `LabFault` after five
/// minutes.
///
/// The pauses grow, so that a short wait ends at once and a long one leaves the processor to the
/// programs.
func eventually(
  _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  // A machine may be slow and have other tests to run.
  let end = ContinuousClock.now + .seconds(300)
  var pause = 10
  while try await !condition() {
    guard ContinuousClock.now < end else { throw LabFault("It never came to this: \(what).") }
    try await Task.sleep(for: .milliseconds(pause))
    pause = min(pause + 10, 100)
  }
}

/// The reason why the lab failed.
struct LabFault: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
