import CProcess
import Dispatch
import Glibc
import LatchkeyModel
import Synchronization

/// A program that this process started.
///
/// It is reaped once it has ended and a caller waits for it. Until then, its number remains valid,
/// including for the node that it was reported to.
public final class ChildProcess: Sendable {
  private enum State {
    case running(waiting: [CheckedContinuation<ProgramExit, Never>])
    /// The process has ended, and no caller has waited for it yet.
    case unreaped
    case ended(ProgramExit)
  }

  public let pid: Int32
  /// Field 22 of /proc/PID/stat, in clock ticks since boot; 0 if /proc does not show it.
  ///
  /// Together with `pid`, it identifies the process within this boot. It is read before the process
  /// can be reaped, so it is correct even if the process has already ended.
  public let startTime: UInt64
  /// The start time on the boot clock, which is never before the program began.
  public let startedAt: BootInstant
  /// The start time in Unix milliseconds.
  public let startedAtWall: Int64
  private let state = Mutex(State.running(waiting: []))

  /// Starts watching a child that nothing else reaps.
  ///
  /// `onEnd` is called once when the child has ended, before any waiting caller resumes.
  init(pid: pid_t, onEnd: @escaping @Sendable (ChildProcess) -> Void = { _ in }) {
    (self.pid, startTime) = (pid, ProcessLiveness.startTime(pid: pid) ?? 0)
    (startedAt, startedAtWall) = (BootClock.now(), WallClock.now())
    // On a thread of its own, since waiting blocks it, and there are few threads for tasks.
    DispatchQueue(label: "latchkey.child.\(pid)").async { [self] in
      awaitEnd()
      onEnd(self)
      settle()
    }
  }

  /// Waits until the program ends, and returns its exit, which is the same for every caller.
  ///
  /// Until the first call, the program keeps its process number even if it has ended. Call this
  /// once the number is no longer needed. Cancelling the waiting task does not end the program.
  @discardableResult
  public func wait() async -> ProgramExit {
    await withCheckedContinuation { continuation in
      let exit: ProgramExit? = state.withLock { state in
        switch state {
        case .running(let waiting):
          state = .running(waiting: waiting + [continuation])
          return nil
        case .unreaped:
          let exit = ProgramSpawn.reap(pid)
          state = .ended(exit)
          return exit
        case .ended(let exit): return exit
        }
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  /// Sends a signal to the program; does nothing if it has been reaped.
  public func send(signal number: Int32) {
    // While the lock is held, the child is not reaped, so the number is still its own.
    state.withLock { state in
      if case .ended = state { return }
      kill(pid, number)
    }
  }

  /// Waits until the child has ended, without reaping it.
  private func awaitEnd() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  private func settle() {
    let (waiting, exit) = state.withLock { state in
      guard case .running(let waiting) = state, !waiting.isEmpty else {
        state = .unreaped
        return ([CheckedContinuation<ProgramExit, Never>](), ProgramExit?.none)
      }
      let exit = ProgramSpawn.reap(pid)
      state = .ended(exit)
      return (waiting, exit)
    }
    guard let exit else { return }
    for continuation in waiting { continuation.resume(returning: exit) }
  }
}

extension ChildProcess {
  /// Starts a program in the foreground of this process's terminal.
  ///
  /// It inherits standard input, output and error, the environment, the folder, the process group
  /// and the descriptors that this process inherited (`InheritedDescriptors`), but none that this
  /// process opened itself. It therefore runs as if the shell had started it directly. Signals to
  /// this process are passed on while it runs. `arguments` begins with the program, as a path or a
  /// name to look for in the PATH.
  ///
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

  /// Starts a program of our own in a session of its own, which may outlive this process.
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

  /// Closes, in the program, the descriptors that this process has opened itself.
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

/// The descriptors above standard error that this process inherited, as by `3<file`.
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

public struct ProgramExit: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    /// The program exited with a status of 0 to 255.
    case exited(status: Int32)
    case signalled(number: Int32)
  }

  public let cause: Cause

  /// Creates the end that `waitpid` reports by a status.
  init(waitStatus status: Int32) {
    // The same as the macros of <sys/wait.h>, which Swift does not import.
    let number = status & 0x7F
    cause = number == 0 ? .exited(status: (status >> 8) & 0xFF) : .signalled(number: number)
  }

  /// The status that a shell shows: the program's own, or 128 plus the signal's number.
  public var shellStatus: Int32 {
    switch cause {
    case .exited(let status): status
    case .signalled(let number): 128 + number
    }
  }

  /// Ends this process in the same way as the program, once everything is cleaned up.
  ///
  /// After a signal, this process ends with the same signal, without a core file. A shell shows 128
  /// plus the number in either case, but it leaves a loop only if the command really ended by
  /// SIGINT.
  public func passOn() -> Never {
    if case .signalled(let number) = cause {
      CoreFiles.forbid()
      signal(number, SIG_DFL)
      var only = sigset_t()
      sigemptyset(&only)
      sigaddset(&only, number)
      pthread_sigmask(SIG_UNBLOCK, &only, nil)
      kill(getpid(), number)
    }
    // Also reached if the signal did not end this process, as might happen in another namespace.
    exit(shellStatus)
  }
}
