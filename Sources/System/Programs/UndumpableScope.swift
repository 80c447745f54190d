import CProcess
import Synchronization

/// The protection of this process's memory from core dumps and other programs, for as long as the
/// value exists.
///
/// A node holds one while it runs, and a command that shows or reads a pairing code holds one until
/// it is done. The last one to end restores the earlier setting.
public struct UndumpableScope: ~Copyable, Sendable {
  private struct State {
    var open = 0
    var before: Int32 = 1
  }

  private static let state = Mutex(State())

  public init() {
    Self.state.withLock { state in
      if state.open == 0 {
        state.before = latchkey_get_dumpable()
        _ = latchkey_set_dumpable(0)
      }
      state.open += 1
    }
  }

  deinit {
    Self.state.withLock { state in
      state.open -= 1
      // The value 2 means that only root can read dumps. The kernel does not accept it from a
      // program.
      if state.open == 0, state.before == 1 { _ = latchkey_set_dumpable(1) }
    }
  }
}
