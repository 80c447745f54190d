import Glibc

/// Files that this process may have open at a time.
public enum OpenFiles {
  /// Raises the limit to as many as the system lets this process have.
  ///
  /// A session takes one, and systems begin with 1,024, which are fewer than the devices that a node may be paired with.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
