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
