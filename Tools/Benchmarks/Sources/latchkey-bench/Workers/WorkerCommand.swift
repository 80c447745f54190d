import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode

/// One or more nodes inside a worker process, which is controlled by lines and started by the other
/// subcommands.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

  @Argument var role: String
  @Argument var folder: String
  @Option var nodes = 1
  @Option var port: UInt16 = 0

  func run() async throws {
    guard let role = DeviceRole(rawValue: role) else { throw ValidationError("parent or child") }
    var nodes: [BenchNode] = []
    for number in 0..<self.nodes {
      nodes.append(
        try await BenchNode(role: role, folder: self.nodes == 1 ? folder : "\(folder)-\(number)", port: port))
    }
    try await run(nodes[...], [])
  }

  /// Runs the first of the remaining nodes around all others.
  private func run(_ left: ArraySlice<BenchNode>, _ running: [NodeService]) async throws {
    guard let first = left.first else { return try await WorkerTurns(nodes: running).run() }
    try await first.run { try await run(left.dropFirst(), running + [$0]) }
  }
}

/// Writes a line to the controlling process.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
