/// When each number of a stream was reported stored; for those who wait for theirs.
actor StoredClock {
  private var through: UInt64 = 0
  private var at = ContinuousClock.now
  private var waiting: [UInt64: CheckedContinuation<ContinuousClock.Instant, Never>] = [:]

  func stored(through: UInt64) {
    at = .now
    guard through > self.through else { return }
    for sequence in self.through + 1...through { waiting.removeValue(forKey: sequence)?.resume(returning: at) }
    self.through = through
  }

  /// Wait until `sequence` was stored; gives the moment.
  func wait(for sequence: UInt64) async -> ContinuousClock.Instant {
    if sequence <= through { return at }
    return await withCheckedContinuation { waiting[sequence] = $0 }
  }
}
