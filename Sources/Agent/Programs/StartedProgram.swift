import LatchkeyModel

/// A program that this process started and whose end it observes.
public struct StartedProgram: Sendable {
  /// The process number.
  public let pid: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot.
  ///
  /// Together with `pid`, it identifies the process within this boot.
  public let startTime: UInt64
  /// The start time by the clock for durations.
  public let startedAt: BootInstant
  /// The start time in Unix milliseconds.
  public let startedAtWall: Int64

  let process: ChildProcess

  /// Waits until the program ends, and returns its exit, which is the same for every caller.
  ///
  /// Until the first call, the program keeps its process number even if it has ended. Call this once the number is no
  /// longer needed. Cancelling the waiting task does not end the program.
  public func wait() async -> ProgramExit {
    await process.exit()
  }

  /// Sends a signal to the program.
  ///
  /// Does nothing if the program has ended.
  public func send(signal number: Int32) {
    process.send(signal: number)
  }
}
