import Glibc

/// How a program ended.
public struct ProgramExit: Hashable, Sendable {
  /// How it ended.
  public enum Cause: Hashable, Sendable {
    /// By itself, with a status of 0 to 255.
    case exited(status: Int32)
    /// By a signal of this number.
    case signalled(number: Int32)
  }

  /// How it ended.
  public let cause: Cause

  /// The status a shell shows for it: the program's own, or 128 and the signal's number.
  public var shellStatus: Int32 {
    switch cause {
    case .exited(let status): status
    case .signalled(let number): 128 + number
    }
  }

  /// End this process exactly as the program ended, once everything is cleaned up.
  ///
  /// After a signal this process dies of the same one, without a core file of its own. That is what a shell needs to
  /// know: it shows 128 and the number either way, but only a real death by SIGINT stops the loop the command stands in.
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
    // Also where the signal did not end this process, as that of a stopped or foreign namespace might not.
    exit(shellStatus)
  }
}
