/// Repeats a question to another process until a condition holds, and throws `LabFault` after three minutes.
func eventually(
  _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  // Three minutes: a machine may be slow and have other tests to run.
  for _ in 0..<3_600 {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(50))
  }
  throw LabFault("It never came to this: \(what).")
}

/// The reason why the lab failed.
struct LabFault: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
