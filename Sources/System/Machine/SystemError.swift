import Glibc

/// The errors that the system's calls report by number.
public enum SystemError {
  /// Returns the system's description of an error number.
  public static func reason(_ code: Int32 = errno) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
