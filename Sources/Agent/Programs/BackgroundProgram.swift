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
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // What a terminal sends to this process must not reach it.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Self.newSession)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    signal(SIGCHLD, SIG_DFL)
    var pid: pid_t = 0
    let code = posix_spawn(&pid, file, &actions, &attributes, words, environ)
    guard code == 0 else { throw .notExecutable(file, errno: code) }
    self.pid = pid
    process = ChildProcess(pid: pid) { _ in }
  }

  /// `POSIX_SPAWN_SETSID`, which the header declares only to programs that ask for more than POSIX.
  private static let newSession: Int16 = 0x80

  /// Waits until the program ends, and returns how.
  @discardableResult
  public func wait() async -> ProgramExit { await process.exit() }

  /// Sends a signal to the program; does nothing if it has ended.
  public func send(signal number: Int32) { process.send(signal: number) }
}
