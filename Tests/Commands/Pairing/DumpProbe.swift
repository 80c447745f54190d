import CProcess
import Synchronization

/// Looks in the middle of a pairing whether the process can be dumped.
final class DumpProbe: Sendable {
  let node: ScriptedNode
  private let seen = Atomic(false)

  init(_ node: ScriptedNode) {
    self.node = node
  }

  /// A Boolean value that indicates whether the process could not be dumped at any check; `false`
  /// without a check.
  var sawUndumpable: Bool { seen.load(ordering: .acquiring) }

  func look() -> Int64 {
    seen.store(latchkey_get_dumpable() == 0, ordering: .releasing)
    return 0
  }
}
