import LatchkeyModel

/// One parent and many children, connected.
final class NodeFleet {
  static let nodesPerProcess = 250
  let parent: WorkerProcess
  private var workers: [WorkerProcess] = []
  private let before: Int64
  private let folder: String
  private(set) var children = 0
  private let tell: (String) -> Void

  init(folder: String, children: Int, tell: @escaping (String) -> Void) throws {
    self.folder = folder
    self.tell = tell
    parent = try WorkerProcess(role: .parent, folder: folder + "-parent")
    before = try ProcessCost.of(parent.id).residentBytes
    try grow(to: children)
  }

  /// Pairs more children until there are so many.
  func grow(to count: Int) throws {
    while children < count {
      let nodes = min(Self.nodesPerProcess, count - children)
      let worker = try WorkerProcess(role: .child, folder: "\(folder)-\(workers.count)", nodes: nodes)
      workers.append(worker)
      for node in 0..<nodes { try WorkerProcess.pair(parent, worker, node: node) }
      children += nodes
      tell("  \(children) children are paired")
    }
    _ = try parent.ask("connected \(count)", "connected")
  }

  /// Returns the bytes of the parent's memory before the first child, and now.
  func memory() throws -> (before: Int64, after: Int64) { (before, try ProcessCost.of(parent.id).residentBytes) }

  func end() {
    parent.end()
    for worker in workers { worker.end() }
  }
}
