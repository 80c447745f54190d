/// A pace that distributes items over the crashes, so that both sides continue until both are done.
actor CrashPace {
  private let total: Int
  private let deaths: Int
  private var past = 0
  private var given = 0
  private(set) var accepted = 0
  private var waiting: [AsyncStream<Void>.Continuation] = []

  init(total: Int, deaths: Int) {
    self.total = total
    self.deaths = deaths
  }

  /// The number of items that may be issued before the next crash.
  private var limit: Int { past >= deaths ? total : total * (past + 1) / (deaths + 1) }

  /// Returns the next number, from 1, once it is due; `nil` after the last.
  func take() async throws -> Int? {
    while given < total, given >= limit { try await change() }
    guard given < total else { return nil }
    given += 1
    return given
  }

  func recordAccepted() {
    accepted += 1
    changed()
  }

  /// Waits until a number of items is accepted.
  func reach(_ count: Int) async throws {
    while accepted < count { try await change() }
  }

  /// Waits until a part of the rest before the next crash is accepted, in thousandths.
  func reach(thousandths: Int) async throws { try await reach(accepted + (limit - accepted) * thousandths / 1_000) }

  /// A Boolean value that indicates whether all items before the next crash are accepted.
  var isSpent: Bool { accepted >= limit }

  func countDeath() {
    past += 1
    changed()
  }

  private func change() async throws {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    waiting.append(continuation)
    // A cancelled task ends the loop as well.
    for await _ in changes {}
    try Task.checkCancellation()
  }

  private func changed() {
    for continuation in waiting { continuation.finish() }
    waiting = []
  }
}
