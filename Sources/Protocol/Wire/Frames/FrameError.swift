/// A fault in the frames of a connection, which is always the peer's fault.
public enum FrameError: Error, Hashable, Sendable {
  /// The frame is longer than its phase permits.
  case tooLong(bytes: Int, limit: Int)
  case empty
  /// The connection does not begin with a preamble according to Protocol/04-session.md §1.
  case badPreamble
}
