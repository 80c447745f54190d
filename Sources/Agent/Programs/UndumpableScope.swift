import CProcess
import Synchronization

/// Keeps this process's memory out of core dumps and other programs' reach for as long as the value lives.
///
/// A node has one for as long as it runs, and a command that shows or reads a pairing code until it is done. The last one to
/// end restores the earlier setting.
public struct UndumpableScope: ~Copyable, Sendable {
  private struct State {
    var open = 0
    var before: Int32 = 1
  }

  private static let state = Mutex(State())

  /// Begin.
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
      // 2 stands for dumps that root alone reads; the kernel does not take it from a program.
      if state.open == 0, state.before == 1 { _ = latchkey_set_dumpable(1) }
    }
  }
}
