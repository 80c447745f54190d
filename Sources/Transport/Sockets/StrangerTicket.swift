import Synchronization

/// A stranger's place at the listener; given back once, however often it is said.
public final class StrangerTicket: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  /// Give the place back: the connection has proved who it is, or is over.
  public func release() {
    action.withLock { action in
      defer { action = nil }
      return action
    }?()
  }
}
