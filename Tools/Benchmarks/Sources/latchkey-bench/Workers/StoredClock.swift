/// The times at which each number of a stream was reported as stored, in microseconds.
actor StoredClock {
  private var through: UInt64 = 0
  private var at = Durations.now()
  private var waiting: [UInt64: CheckedContinuation<Int64, Never>] = [:]

  func stored(through: UInt64) {
    at = Durations.now()
    guard through > self.through else { return }
    for sequence in self.through + 1...through { waiting.removeValue(forKey: sequence)?.resume(returning: at) }
    self.through = through
  }

  /// Waits until `sequence` was stored; returns the time.
  func wait(for sequence: UInt64) async -> Int64 {
    if sequence <= through { return at }
    return await withCheckedContinuation { waiting[sequence] = $0 }
  }
}
