import CProcess
import Glibc
import Synchronization

extension ChildProcess {
  /// Starts a program in the foreground of this process's terminal.
  ///
  /// It inherits standard input, output and error, the environment, the folder, the process group
  /// and the descriptors that this process inherited (`InheritedDescriptors`), but none that this
  /// process opened itself. It therefore runs as if the shell had started it directly. Signals to
  /// this process are passed on while it runs.
  ///
  /// - Parameter arguments: The program, as a path or a name to look for in the PATH, followed by
  ///   its arguments.
  /// - Returns: The running program.
  /// - Throws: `ProgramStartError` if the program does not exist or the system does not run it.
  ///   That is the caller's fault, and the error has an exit status to end with.
  public static func foreground(_ arguments: [String]) throws(ProgramStartError) -> ChildProcess {
    guard let name = arguments.first else { throw .nothingToRun }
    let file = try ProgramLookup.file(of: name, path: getenv("PATH").map { String(cString: $0) })
    let process = try SignalRelay.shared.start { () throws(ProgramStartError) -> ChildProcess in
      let spawn = ProgramSpawn(path: file, arguments: arguments, keepsIgnored: true)
      return ChildProcess(pid: try spawn.start { keepInherited(&$0) }) { SignalRelay.shared.forget($0) }
    }
    guard process.startTime > 0 else {
      process.send(signal: SIGKILL)
      throw .system(call: "/proc/\(process.pid)/stat", errno: ENOENT)
    }
    return process
  }

  /// Starts a program of our own beside this process, in a session of its own, which may outlive
  /// this process.
  ///
  /// It reads and writes nothing but standard error, which it shares with this process. `arguments`
  /// begins with the program's path.
  public static func background(_ arguments: [String]) throws(ProgramStartError) -> ChildProcess {
    guard let file = arguments.first else { throw .nothingToRun }
    let spawn = ProgramSpawn(path: file, arguments: arguments, hasOwnSession: true)
    let pid = try spawn.start { actions in
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    }
    return ChildProcess(pid: pid)
  }

  /// Closes, in the program, every descriptor that this process has opened itself, and keeps those
  /// that it inherited.
  ///
  /// The new process does this itself, since not every library marks its descriptors close-on-exec,
  /// and another thread may open one at any moment.
  private static func keepInherited(_ actions: inout posix_spawn_file_actions_t) {
    var next = STDERR_FILENO + 1
    for descriptor in InheritedDescriptors.all {
      for own in next..<descriptor { posix_spawn_file_actions_addclose(&actions, own) }
      next = descriptor + 1
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, next)
  }
}

/// The file descriptors above standard error that this process inherited, such as that of a shell's
/// `3<file`.
public enum InheritedDescriptors {
  private static let noted = Mutex<[Int32]>([])

  /// Records which descriptors are inherited.
  ///
  /// Call this before anything else in the process, since every descriptor that is opened later
  /// belongs to the process itself. Without this call, no descriptor counts as inherited.
  public static func note() {
    guard let names = ProcFile.names(in: "/proc/self/fd", most: .max) else { return }
    let found = names.compactMap { Int32($0) }.filter { descriptor in
      // Inherited descriptors lack this flag. Those that the runtime has opened since have it.
      let flags = fcntl(descriptor, F_GETFD)
      return descriptor > STDERR_FILENO && flags >= 0 && flags & FD_CLOEXEC == 0
    }
    noted.withLock { $0 = found.sorted() }
  }

  static var all: [Int32] { noted.withLock { $0 } }
}
