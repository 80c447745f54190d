import Dispatch
import Glibc
import LatchkeyModel
import Synchronization

/// A child process until it is reaped.
///
/// After that, its number is no longer used.
///
/// It is reaped once it has ended and a caller waits for it. Until then, its number remains valid,
/// including for the node that it was reported to.
final class ChildProcess: Sendable {
  private enum State {
    case running(waiting: [CheckedContinuation<ProgramExit, Never>])
    /// The process has ended, and no caller has waited for it yet.
    case unreaped
    case ended(ProgramExit)
  }

  let pid: pid_t
  private let state = Mutex(State.running(waiting: []))

  /// Starts watching a child that nothing else reaps.
  ///
  /// `onEnd` is called once when the child has ended, before any waiting caller resumes.
  init(pid: pid_t, onEnd: @escaping @Sendable (ChildProcess) -> Void) {
    self.pid = pid
    // On a thread of its own, since waiting blocks it, and there are few threads for tasks.
    DispatchQueue(label: "latchkey.child.\(pid)").async { [self] in
      awaitEnd()
      onEnd(self)
      settle()
    }
  }

  func exit() async -> ProgramExit {
    await withCheckedContinuation { continuation in
      let exit: ProgramExit? = state.withLock { state in
        switch state {
        case .running(let waiting):
          state = .running(waiting: waiting + [continuation])
          return nil
        case .unreaped:
          let exit = reap()
          state = .ended(exit)
          return exit
        case .ended(let exit): return exit
        }
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  func send(signal number: Int32) {
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
      let exit = reap()
      state = .ended(exit)
      return (waiting, exit)
    }
    guard let exit else { return }
    for continuation in waiting { continuation.resume(returning: exit) }
  }

  private func reap() -> ProgramExit {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return ProgramExit(waitStatus: status)
  }
}
