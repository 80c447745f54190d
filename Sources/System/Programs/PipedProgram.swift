import CProcess
import Glibc

/// A program of the system's that runs beside this process for a short time, and whose output is
/// read.
///
/// It gets no input and no descriptors but its three streams, and is killed when this value is
/// destroyed. Its end is noticed without a network. Foundation's `Process` needs a loopback
/// interface that is up.
public struct PipedProgram: ~Copyable, Sendable {
  /// The descriptor from which the program's standard output is read.
  public let output: Int32
  /// The descriptor from which the program's standard error is read.
  public let talk: Int32
  private let pid: pid_t
  private let handle: Int32
  private var exit: ProgramExit?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program's path.
  ///   - arguments: Its arguments, without its name.
  ///   - variables: All its environment variables.
  /// - Throws: `TrackedProgramError` if the system does not run it.
  public init(path: String, arguments: [String], variables: [String: String]) throws(TrackedProgramError) {
    guard let output = Self.pipe() else { throw .system(call: "pipe", errno: errno) }
    guard let talk = Self.pipe() else {
      let code = errno
      for descriptor in [output.read, output.write] { close(descriptor) }
      throw .system(call: "pipe", errno: code)
    }
    let spawn = ProgramSpawn(path: path, arguments: [path] + arguments, variables: variables)
    defer { for descriptor in [output.write, talk.write] { close(descriptor) } }
    let pid: pid_t
    do {
      pid = try spawn.start { actions in
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, talk.write, STDERR_FILENO)
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
      }
    } catch {
      for descriptor in [output.read, talk.read] { close(descriptor) }
      throw error
    }
    // The number stays the program's until it is reaped below.
    (self.output, self.talk, self.pid, handle) = (output.read, talk.read, pid, latchkey_pidfd_open(pid))
  }

  deinit {
    if exit == nil {
      kill(pid, SIGKILL)
      _ = Self.reap(pid)
    }
    for descriptor in [output, talk, handle] where descriptor >= 0 { close(descriptor) }
  }

  /// Waits for the program's end; returns `nil` if it has not ended within some milliseconds.
  public mutating func wait(milliseconds: Int64) -> ProgramExit? {
    if let exit { return exit }
    var ready = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, Int32(clamping: max(0, milliseconds))) > 0 else { return nil }
    exit = Self.reap(pid)
    return exit
  }

  private static func reap(_ pid: pid_t) -> ProgramExit {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return ProgramExit(waitStatus: status)
  }

  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
