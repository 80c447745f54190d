import Foundation
import LatchkeyModel

/// Nodes in their own process, which is controlled by lines on its standard input and output.
final class WorkerProcess {
  private let lines: LineProcess

  /// Starts a worker; with more than one node, `folder` is the prefix of their state folders, and
  /// port 0 is any.
  init(role: DeviceRole, folder: String, nodes: Int = 1, port: Int64 = 0) throws {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    lines = try LineProcess(own, ["worker", role.rawValue, folder, "--nodes", String(nodes), "--port", String(port)])
    _ = try lines.read("up")
  }

  /// The process ID, for the kernel's counts.
  var id: Int32 { lines.id }

  func write(_ line: String) throws { try lines.write(line) }

  func read(_ word: String) throws -> [Substring] { try lines.read(word) }

  /// Sends it a line and waits for the answer.
  func ask(_ line: String, _ word: String) throws -> [Int64] {
    try write(line)
    return try read(word).compactMap { Int64($0) }
  }

  func end() { lines.end() }

  /// Pairs a parent's worker with a child's, and waits for their session.
  static func pair(_ parent: WorkerProcess, _ child: WorkerProcess, node: Int = 0) throws {
    try parent.write("invite")
    guard let code = try parent.read("code").first else { throw BenchFault("No code was shown.") }
    try child.write("join \(node) \(code)")
    _ = try child.read("joined")
    _ = try parent.read("paired")
  }
}
