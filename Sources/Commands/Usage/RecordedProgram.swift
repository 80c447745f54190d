import LatchkeyModel

/// A program that was started to have its use recorded.
protocol RecordedProgram: Sendable {
  var processID: Int32 { get }
  /// Field 22 of /proc/PID/stat.
  var processStartTime: UInt64 { get }
  var startedAt: BootInstant { get }
  /// Unix milliseconds.
  var startedAtWall: Int64 { get }

  /// Wait until it has ended, passing signals on to it meanwhile.
  func waitUntilEnd() async throws -> ProgramEnd
}
