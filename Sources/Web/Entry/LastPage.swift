/// When the process may end: ten minutes after the last page was closed.
///
/// A page with a script holds a stream while it is visible, and asks now and then while it is not.
/// A page without a script is taken for closed ten minutes after it was loaded.
struct LastPage: Hashable, Sendable {
  /// The time after the last page, in milliseconds.
  static let milliseconds: Int64 = 600_000

  private var streams = 0
  private var lastAt: Int64

  init(now: Int64) { lastAt = now }

  /// Notes that a page was loaded, or has asked for something.
  mutating func seen(_ now: Int64) { lastAt = max(lastAt, now) }

  /// Notes that a page has opened its stream.
  mutating func opened(_ now: Int64) {
    streams += 1
    seen(now)
  }

  /// Notes that the stream of a page has ended.
  mutating func closed(_ now: Int64) {
    streams -= 1
    seen(now)
  }

  /// Returns how long at least it lasts until the process may end; 0 or less if it may end now.
  func left(_ now: Int64, idle: Int64 = Self.milliseconds) -> Int64 { streams > 0 ? idle : lastAt + idle - now }
}
