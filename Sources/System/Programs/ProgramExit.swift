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

/// The limit on open files of this process.
public enum OpenFiles {
  /// Raises the limit as far as the system permits.
  ///
  /// Each session needs one file, and the usual limit of 1,024 is less than the number of devices
  /// with which a node may be paired.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// The core files of this process.
public enum CoreFiles {
  /// Sets the size limit of core files to 0, for this process and the programs that it starts.
  public static func forbid() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}
