import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import Logging
import ServiceLifecycle

/// A node inside this process, created at its first start and opened again at later ones.
final class BenchNode: Sendable {
  let service: NodeService
  private let node: RunningNode
  private let group: ServiceGroup

  /// Creates a node with its state in a folder, which may exist, on a TCP port; 0 for any.
  init(role: DeviceRole, folder: String, port: UInt16) async throws {
    let path = StateFolder(path: folder)
    if !FileManager.default.fileExists(atPath: path.database) {
      _ = try await NodeFolder.initialise(path, role: role, name: "bench \(role.rawValue)")
    }
    var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    node = try await RunningNode(
      configuration: NodeConfiguration(stateFolder: folder, port: port, interfaces: ["lo"], discovers: false),
      logger: logger)
    service = node.service
    group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: node.services.map { .init(service: $0, serviceName: "a part of a node") }, logger: logger))
  }

  /// Runs until `body` returns.
  func run(_ body: @escaping @Sendable (NodeService) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await self.group.run() }
      try await body(service)
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    node.close()
  }
}
