import LatchkeyModel

/// A program that was started to have its use recorded.
protocol RecordedProgram: Sendable {
  var processID: Int32 { get }
  /// Field 22 of /proc/PID/stat.
  var processStartTime: UInt64 { get }
  var startedAt: BootInstant { get }
  /// Unix milliseconds.
  var startedAtWall: Int64 { get }

  /// Waits until it has ended, and returns its exit status, or 128 and the number of the signal that ended it.
  ///
  /// It keeps its process number until this is called, even if it has ended.
  func waitUntilEnd() async throws -> Int32
}
