import CProcess
import Glibc

/// A program of our own that runs beside this process, in a session of its own, and may outlive it.
///
/// It reads and writes nothing but standard error, which it shares with this process.
public struct BackgroundProgram: Sendable {
  /// The process number, valid until `wait` has returned.
  public let pid: Int32
  private let process: ChildProcess

  /// Starts a program.
  ///
  /// `arguments` begins with the program's path.
  public init(_ arguments: [String]) throws(TrackedProgramError) {
    guard let file = arguments.first else { throw .nothingToRun }
    let pid = try ProgramSpawn(path: file, arguments: arguments, hasOwnSession: true).start { actions in
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    }
    self.pid = pid
    process = ChildProcess(pid: pid) { _ in }
  }

  /// Waits until the program ends, and returns how.
  @discardableResult
  public func wait() async -> ProgramExit { await process.exit() }

  /// Sends a signal to the program; does nothing if it has ended.
  public func send(signal number: Int32) { process.send(signal: number) }
}
