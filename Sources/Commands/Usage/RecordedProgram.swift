import LatchkeyModel
import LatchkeySystem

/// A program that the agent runs in the foreground of this terminal.
struct AgentProgram: RecordedProgram {
  private let program: StartedProgram

  /// Starts a program with its arguments.
  ///
  /// - Parameter arguments: The program, by path or name, and its arguments.
  /// - Throws: `TerminalFailure` with the exit status of a shell: 127 if the program is not found,
  ///   126 if it cannot be run.
  init(arguments: [String]) throws {
    do {
      program = try TrackedProgram(arguments: arguments).start()
    } catch { throw TerminalFailure(exitStatus: error.exitStatus, sentence: error.description) }
  }

  var processID: Int32 { program.pid }
  var processStartTime: UInt64 { program.startTime }
  var startedAt: BootInstant { program.startedAt }
  var startedAtWall: Int64 { program.startedAtWall }

  func waitUntilEnd() async throws -> Int32 { await program.wait().shellStatus }
}

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
