import LatchkeyModel
import LatchkeySystem

/// A program that was started to have its use recorded.
protocol RecordedProgram: Sendable {
  var processID: Int32 { get }
  /// Field 22 of /proc/PID/stat.
  var processStartTime: UInt64 { get }
  var startedAt: BootInstant { get }
  /// Unix milliseconds.
  var startedAtWall: Int64 { get }

  /// Waits until it has ended, and returns its exit status, or 128 and the number of the signal
  /// that ended it.
  ///
  /// It keeps its process number until this is called, even if it has ended.
  func waitUntilEnd() async throws -> Int32
}

extension ChildProcess: RecordedProgram {
  var processID: Int32 { pid }
  var processStartTime: UInt64 { startTime }

  /// Starts a program with its arguments in the foreground of this terminal.
  ///
  /// - Parameter arguments: The program, by path or name, and its arguments.
  /// - Returns: The program.
  /// - Throws: `TerminalFailure` with the exit status of a shell: 127 if the program is not found,
  ///   126 if it cannot be run.
  static func recorded(_ arguments: [String]) throws(TerminalFailure) -> ChildProcess {
    do { return try foreground(arguments) } catch {
      throw TerminalFailure(exitStatus: error.exitStatus, sentence: error.description)
    }
  }

  func waitUntilEnd() async -> Int32 { await wait().shellStatus }
}
