import Glibc

/// The limit on open files of this process.
public enum OpenFiles {
  /// Raises the limit as far as the system permits.
  ///
  /// Each session needs one file, and the usual limit of 1,024 is less than the number of devices with which a node may
  /// be paired.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
