import GRDB

extension Store {
  /// What is wrong with the disk; nil while nothing is.
  public var diskFault: StoreError? { commits.health.fault }

  /// Call `observer` with each change of what is wrong with the disk; nil when that is over.
  public func watchDisk(_ observer: @escaping @Sendable (StoreError?) -> Void) {
    commits.health.observe(observer)
  }

  /// Find out whether a fault of the disk is over, by writing more than most commits do and taking it back.
  ///
  /// - Returns: whether it is.
  public func tryDisk() async -> Bool {
    do {
      for length in [Self.trialBytes, 1] {
        try await commits.commit {
          try $0.run(
            "INSERT INTO setting VALUES ('disk-trial', printf('%.*c', ?, '-')) "
              + "ON CONFLICT DO UPDATE SET value = excluded.value", [length])
        }
      }
    } catch { return false }
    commits.health.proved()
    return diskFault == nil
  }

  /// Bytes of a trial write: a disk that has just no room for a message is no disk with room.
  private static var trialBytes: Int { 256 << 10 }

  #if DEBUG
    /// Call `body` in each transaction when its work is done and nothing of it is committed; for tests that kill there.
    public func beforeEachCommit(_ body: @escaping @Sendable () -> Void) { commits.callBeforeEachCommit(body) }
  #endif
}
