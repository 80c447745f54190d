import Dispatch
import Glibc
import LatchkeyModel
import Synchronization

/// A child process until it is reaped; its number is never used after that.
///
/// It is reaped when it has ended and somebody waits for it: until then its number stays its own, also for the node that is
/// told of it.
final class ChildProcess: Sendable {
  private enum State {
    case running(waiting: [CheckedContinuation<ProgramExit, Never>])
    /// It has ended, and no caller has waited for it yet.
    case unreaped
    case ended(ProgramExit)
  }

  let pid: pid_t
  private let state = Mutex(State.running(waiting: []))

  /// Watch over a child that nobody else reaps.
  ///
  /// - Parameter onEnd: Called once when the child has ended, before anyone who waits is told.
  init(pid: pid_t, onEnd: @escaping @Sendable (ChildProcess) -> Void) {
    self.pid = pid
    // A thread of its own, as waiting blocks it, and the threads that run tasks are few.
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
    // Under the lock the child is not reaped, so the number is its own still.
    state.withLock { state in
      if case .ended = state { return }
      kill(pid, number)
    }
  }

  /// Returns when the child has ended, and leaves it to be reaped.
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
    // What the macros of <sys/wait.h> do, which Swift does not import.
    let number = status & 0x7F
    return ProgramExit(cause: number == 0 ? .exited(status: (status >> 8) & 0xFF) : .signalled(number: number))
  }
}
