import Glibc

/// The end of a program.
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
