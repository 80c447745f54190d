import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import Logging
import ServiceLifecycle

/// The node inside a worker process; started by the other subcommands.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

  @Argument var role: String
  @Argument var folder: String

  func run() async throws {
    let path = StateFolder(path: folder)
    guard let role = DeviceRole(rawValue: role) else { throw ValidationError("parent or child") }
    _ = try await NodeFolder.initialise(path, role: role, name: "bench \(role.rawValue)")
    var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    let node = try await RunningNode(
      configuration: NodeConfiguration(stateFolder: folder, interfaces: ["lo"], discovers: false), logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: node.services.map { .init(service: $0) }, logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      switch role {
      case .parent: try await RelayLoad(node.service).run()
      case .child: try await serve(node.service)
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    node.close()
  }

  private func serve(_ node: NodeService) async throws {
    guard let code = readLine() else { return }
    let joined = try await node.join(JoinRequest(code: code))
    var progress = joined
    while progress.phase != .ended { progress = try await node.pairing(id: joined.pairingID, after: progress.change) }
    guard progress.outcome == .ok else { throw ValidationError(progress.sentence ?? "not paired") }
    say("paired yes")
    while try await !node.status().peers.allSatisfy(\.isConnected) { await node.waitForChange(milliseconds: 100) }
    say("idle \(try await node.status().residentBytes)")
    while let line = readLine() {
      if line == "report" { say("resident \(try await node.status().residentBytes)") }
    }
  }
}

/// Write a line to whoever drives this process.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
