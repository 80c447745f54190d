/// A pace that distributes what is to be recorded over the deaths, so that both continue until both are done.
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

  /// How many may be handed out until the next death.
  private var limit: Int { past >= deaths ? total : total * (past + 1) / (deaths + 1) }

  /// The next number from 1 on, once it is due; nil when there are no more.
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

  /// Wait until that many are accepted.
  func reach(_ count: Int) async throws {
    while accepted < count { try await change() }
  }

  /// Wait until a part, in thousandths, of what this death's share still has is accepted.
  func reach(thousandths: Int) async throws { try await reach(accepted + (limit - accepted) * thousandths / 1_000) }

  /// Whether nothing is accepted any more before the next death.
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
