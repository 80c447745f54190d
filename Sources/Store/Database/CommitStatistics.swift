import LatchkeyModel
import Synchronization

/// What the database has written since it was opened.
public struct CommitStatistics: Hashable, Sendable {
  /// The durations of COMMIT in transactions that changed something, each of which synchronizes the
  /// log once.
  public internal(set) var commits = DurationHistogram(bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5])
  /// The writes that these transactions made durable.
  public internal(set) var writes = 0
  /// The faults of the disk, by their kind.
  public internal(set) var faults: [DiskStatus.State: Int] = [:]

  public init() {}
}

extension Store {
  /// What the database has written since it was opened.
  public var commitStatistics: CommitStatistics {
    var statistics = commits.statistics.withLock { $0 }
    statistics.faults = commits.health.faults
    return statistics
  }
}
