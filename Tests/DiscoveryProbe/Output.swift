import Glibc

/// Lines on standard output.
enum Output {
  /// Writes a line at once and in one piece; `print` would keep it back while the output is a pipe.
  static func line(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
