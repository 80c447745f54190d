import LatchkeyModel

/// A parent's process and a child's, paired.
final class NodePair {
  private(set) var parent: WorkerProcess
  private(set) var child: WorkerProcess
  private let folder: String

  init(folder: String) throws {
    self.folder = folder
    parent = try WorkerProcess(role: .parent, folder: folder + "-parent")
    child = try WorkerProcess(role: .child, folder: folder + "-child")
    try WorkerProcess.pair(parent, child)
    try connected()
    // The first actions of their kind take longer, so each is performed once.
    _ = try parent.ask("relay 1000 200 64", "relayed")
    _ = try child.ask("report 1000 200 64", "relayed")
  }

  func connected() throws {
    _ = try parent.ask("connected 1", "connected")
    _ = try child.ask("connected 1", "connected")
  }

  func endChild() { child.end() }

  /// Ends the parent's process and returns the port that it listened on.
  func endParent() throws -> Int64 {
    guard let port = try parent.ask("port", "port").first else { throw BenchFault("The parent does not listen.") }
    parent.end()
    return port
  }

  /// Starts the parent's process again on the port that its child knows.
  func startParent(port: Int64) throws {
    parent = try WorkerProcess(role: .parent, folder: folder + "-parent", port: port)
  }

  var childFolder: String { folder + "-child" }

  func startChild() throws { child = try WorkerProcess(role: .child, folder: childFolder) }

  /// Returns the processor time of both, in seconds.
  func seconds() throws -> Double {
    try ProcessCost.of(parent.id).seconds + ProcessCost.of(child.id).seconds
  }

  func end() {
    parent.end()
    child.end()
  }
}
