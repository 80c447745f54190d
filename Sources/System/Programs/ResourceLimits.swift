import Glibc

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
