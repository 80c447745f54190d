import Glibc

/// Lines on standard output.
enum Output {
  /// Writes a line immediately and in one piece; `print` would buffer it while the output is a
  /// pipe.
  static func line(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
