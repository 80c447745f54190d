import LatchkeyModel

/// A program that was started here and whose end will be seen here.
public struct StartedProgram: Sendable {
  /// Its process number.
  public let pid: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot: with `pid` it names the process for this boot.
  public let startTime: UInt64
  /// When it was started, by the clock that durations are measured by.
  public let startedAt: BootInstant
  /// When it was started, in Unix milliseconds.
  public let startedAtWall: Int64

  let process: ChildProcess

  /// Waits until the program ends; at once if it has. Every caller is told the same.
  ///
  /// Until the first call the program keeps its process number, even if it has ended. Call this once nobody needs the number.
  /// It is not ended by cancelling the task that waits.
  public func wait() async -> ProgramExit {
    await process.exit()
  }

  /// Send the program a signal; nothing happens once it has ended.
  public func send(signal number: Int32) {
    process.send(signal: number)
  }
}
