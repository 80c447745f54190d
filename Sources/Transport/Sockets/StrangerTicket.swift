import Synchronization

/// The place of an unauthenticated connection at the listener.
///
/// It is released once, even if `release` is called again.
public final class StrangerTicket: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  /// Releases the place, because the connection is authenticated or has ended.
  public func release() {
    action.withLock { action in
      defer { action = nil }
      return action
    }?()
  }
}
