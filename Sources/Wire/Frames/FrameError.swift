/// What is wrong with bytes that should be frames: always the peer's fault.
public enum FrameError: Error, Hashable, Sendable {
  /// The frame is longer than its phase allows.
  case tooLong(bytes: Int, limit: Int)
  case empty
  /// The connection does not begin as Protocol/04-session.md §1 says.
  case badPreamble
}
