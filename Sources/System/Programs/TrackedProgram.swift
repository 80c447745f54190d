import CProcess
import Glibc
import LatchkeyModel
import Synchronization

/// A program to run as a child of this process, in the foreground of its terminal.
///
/// It inherits standard input, output and error, the environment, the folder, the process group and
/// the descriptors that this process inherited (`InheritedDescriptors`), but none that this process
/// opened itself. It therefore runs as if the shell had started it directly. Signals to this
/// process are passed on while it runs.
public struct TrackedProgram: Sendable {
  private let arguments: [String]

  /// Creates a description of a program.
  ///
  /// `arguments` contains the program, as a path or a name to look for in the PATH, followed by its
  /// arguments.
  public init(arguments: [String]) {
    self.arguments = arguments
  }

  /// Starts the program.
  ///
  /// - Returns: The running program. Its process number and start time are read before it can be
  ///   reaped, so they are correct even if it has already ended.
  /// - Throws: `TrackedProgramError` if the program does not exist or the system does not run it.
  ///   That is the caller's fault, and the error has an exit status to end with.
  public func start() throws(TrackedProgramError) -> StartedProgram {
    guard let name = arguments.first else { throw .nothingToRun }
    let file = try ProgramLookup.file(of: name, path: getenv("PATH").map { String(cString: $0) })
    var startTime: UInt64?
    let process = try SignalRelay.shared.start { () throws(TrackedProgramError) -> ChildProcess in
      let spawn = ProgramSpawn(path: file, arguments: arguments, reset: .brokenPipe)
      let pid = try spawn.start { Self.keepInherited(&$0) }
      startTime = ProcessLiveness.startTime(pid: pid)
      return ChildProcess(pid: pid) { SignalRelay.shared.forget($0) }
    }
    guard let startTime else {
      process.send(signal: SIGKILL)
      throw .system(call: "/proc/\(process.pid)/stat", errno: ENOENT)
    }
    // This is read after the program began, so that its use never begins before the program.
    return StartedProgram(
      pid: process.pid, startTime: startTime, startedAt: BootClock.now(), startedAtWall: WallClock.now(),
      process: process)
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

/// A program that this process started and whose end it observes.
public struct StartedProgram: Sendable {
  public let pid: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot.
  ///
  /// Together with `pid`, it identifies the process within this boot.
  public let startTime: UInt64
  /// The start time on the boot clock.
  public let startedAt: BootInstant
  /// The start time in Unix milliseconds.
  public let startedAtWall: Int64

  let process: ChildProcess

  /// Waits until the program ends, and returns its exit, which is the same for every caller.
  ///
  /// Until the first call, the program keeps its process number even if it has ended. Call this
  /// once the number is no longer needed. Cancelling the waiting task does not end the program.
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

/// The file descriptors above standard error that this process inherited, such as that of a shell's
/// `3<file`.
public enum InheritedDescriptors {
  private static let noted = Mutex<[Int32]>([])

  /// Records which descriptors are inherited.
  ///
  /// Call this before anything else in the process, since every descriptor that is opened later
  /// belongs to the process itself. Without this call, no descriptor counts as inherited.
  public static func note() {
    guard let folder = opendir("/proc/self/fd") else { return }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
      // Inherited descriptors lack this flag. Those that the runtime has opened since have it.
      let flags = fcntl(descriptor, F_GETFD)
      if flags >= 0, flags & FD_CLOEXEC == 0 { found.append(descriptor) }
    }
    found.sort()
    noted.withLock { $0 = found }
  }

  static var all: [Int32] { noted.withLock { $0 } }
}
