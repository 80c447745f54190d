import CProcess
import Foundation
import Glibc
import Synchronization

/// A child process with files for its three streams, which is waited for and signalled only by its
/// ID.
final class SpawnedProcess: Sendable {
  private struct State {
    var end: ProcessEnd?
    var waiters: [CheckedContinuation<ProcessEnd, Never>] = []
  }

  /// Its process ID, ours until it has been waited for.
  let pid: pid_t
  private let state = Mutex(State())

  /// Starts a program with files as its standard input and output; standard error is appended to
  /// `talk`.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], input: String, output: String, talk: String
  )
    throws
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, talk, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // A program that another task of the test is writing could not be started while this one had it
    // open.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw LabFault("\(program) could not be started: \(String(cString: strerror(code)))") }
    self.pid = pid
    Thread.detachNewThread { self.reap() }
  }

  /// A Boolean value that indicates whether the process is running.
  var isRunning: Bool { state.withLock { $0.end == nil } }

  /// Waits for the end of the process, and kills it if the test is cancelled.
  func wait() async -> ProcessEnd {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end = state.withLock { state in
          if state.end == nil { state.waiters.append(continuation) }
          return state.end
        }
        if let end { continuation.resume(returning: end) }
      }
    } onCancel: {
      signal(SIGKILL)
    }
  }

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) {
    state.withLock { state in
      if state.end == nil { kill(pid, number) }
    }
  }

  private func reap() {
    var information = siginfo_t()
    // Waited for without being taken away first, so that its ID is never signalled once it may be
    // another's.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let (end, waiters) = state.withLock { state in
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      let low = status & 0x7F
      let end = low == 0 ? ProcessEnd.exited(status >> 8 & 0xFF) : .signalled(low)
      state.end = end
      defer { state.waiters = [] }
      return (end, state.waiters)
    }
    for waiter in waiters { waiter.resume(returning: end) }
  }
}

/// The end of a process.
enum ProcessEnd: Hashable, Sendable {
  /// By itself, with a status.
  case exited(Int32)
  /// By a signal.
  case signalled(Int32)
}
