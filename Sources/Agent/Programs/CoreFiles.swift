import Glibc

/// The core files of this process.
public enum CoreFiles {
  /// Sets the size limit of core files to 0, for this process and the programs that it starts.
  public static func forbid() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}
