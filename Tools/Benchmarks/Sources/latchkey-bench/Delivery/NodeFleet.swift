import LatchkeyModel

/// One parent and many children, connected.
final class NodeFleet {
  static let nodesPerProcess = 250
  let parent: WorkerProcess
  private var workers: [WorkerProcess] = []
  private let before: Int64
  let children: Int

  init(folder: String, children: Int, tell: (String) -> Void) throws {
    self.children = children
    parent = try WorkerProcess(role: .parent, folder: folder + "-parent")
    before = try ProcessCost.of(parent.id).residentBytes
    var paired = 0
    while paired < children {
      let nodes = min(Self.nodesPerProcess, children - paired)
      let worker = try WorkerProcess(role: .child, folder: "\(folder)-\(workers.count)", nodes: nodes)
      workers.append(worker)
      for node in 0..<nodes { try WorkerProcess.pair(parent, worker, node: node) }
      paired += nodes
      tell("  \(paired) children are paired")
    }
    _ = try parent.ask("connected \(children)", "connected")
  }

  /// Returns the bytes of the parent's memory before the first child, and now.
  func memory() throws -> (before: Int64, after: Int64) { (before, try ProcessCost.of(parent.id).residentBytes) }

  func end() {
    parent.end()
    for worker in workers { worker.end() }
  }
}
