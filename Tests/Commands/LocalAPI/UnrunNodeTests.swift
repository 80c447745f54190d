import LatchkeyModel
import Logging
import Testing

@testable import LatchkeyNode

/// A node that calls its peers while its services do not run yet.
@Suite struct UnrunNodeTests {
  private static func open(_ folder: String, _ body: (NodeContext) async throws -> Void) async throws {
    let node = try await RunningNode(
      configuration: NodeConfiguration(stateFolder: folder, interfaces: ["lo"], discovers: false),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    defer { node.close() }
    try await body(node.service.context)
  }

  @Test("A node knows its devices before it calls the first of them, whose Hello has their number")
  func members() async throws {
    try await TemporaryFolder.with { folder in
      _ = try await NodeFolder.initialise(StateFolder(path: folder), role: .parent, name: "Kitchen laptop")
      try await Self.open(folder) { context in
        let device = SampleValues.registered
        _ = try await context.store.savePending(
          device, pairwiseKey: [UInt8](repeating: 7, count: 32), invitation: nil, bootID: context.bootID,
          now: context.now())
        _ = try await context.store.promote(device.deviceID, at: context.wall())
        #expect(context.members.count == 0)
      }
      try await Self.open(folder) { context in
        #expect(context.members.count == 1 && PeerLink.surroundings(context).devices == 1)
      }
    }
  }

  @Test("A node that is closed without having run has no operations of links left", .timeLimit(.minutes(1)))
  func closed() async throws {
    var operations: LinkOperations?
    try await HomeNode.with(children: []) { home in operations = home.service.directory.operations }
    await operations?.allEnded()
  }
}
