import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Removals between two nodes of one machine, where the side that was called has no address but
  /// the one it was called from.
  @Suite struct RemovalOnOneMachineTests {
    enum Remover: String, CaseIterable, Sendable { case parent, child }

    private static let discovery = [["--no-discovery"], []]

    private func untold(_ node: NodeProcess) async throws -> Bool {
      try await !node.api.ask(Endpoints.getDevices).isEmpty
    }

    /// Pairs a parent and a child, and gives them as the one that removes and the one that is
    /// removed.
    private func pair(_ lab: ProcessLab, _ remover: Remover) async throws -> (
      remover: NodeProcess, removed: NodeProcess, name: String
    ) {
      let (parent, child) = try await lab.pairedFamily()
      return remover == .parent ? (parent, child, "Emma's PC") : (child, parent, "Kitchen laptop")
    }

    @Test(
      "A removal made while the other node was off is delivered once both run, in either order",
      arguments: Remover.allCases, discovery)
    func givenWhileAway(by side: Remover, _ options: [String]) async throws {
      try await ProcessLab.run { lab in
        let (remover, removed, name) = try await pair(lab, side)
        await removed.kill()
        #expect(try await !remover.api.ask(Endpoints.deleteDevice, name).wasTold)
        await remover.kill()
        for node in side == .parent ? [remover, removed] : [removed, remover] { try await node.start(options) }
        try await eventually("the removed node knows") { try await !untold(removed) }
        try await eventually("the remover knows that it does") { try await !untold(remover) }
        #expect(try await removed.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("the family at") })
      }
    }

    @Test(
      "A removal whose acknowledgement was lost counts as told once both run, without a given address",
      arguments: Remover.allCases, discovery)
    func lostWord(by side: Remover, _ options: [String]) async throws {
      try await ProcessLab.run { lab in
        let (remover, removed, name) = try await pair(lab, side)
        await removed.kill()
        _ = try await remover.api.ask(Endpoints.deleteDevice, name)
        await remover.kill()
        // As they stand when the removed node has committed and both lost power before a word of it
        // was out.
        try remover.edit { try $0.execute(sql: "UPDATE peer SET removal_sessions = 1") }
        try removed.edit { try $0.execute(sql: "UPDATE peer SET state = 4, pairwise_key = zeroblob(32)") }
        for node in [removed, remover] { try await node.start(options) }
        try await eventually("the remover lets it be") { try await !untold(remover) }
        await remover.kill()
        let row = try remover.read { try Row.fetchOne($0, sql: "SELECT state, pairwise_key FROM peer") }
        #expect(row?["state"] as Int? == 4)
        #expect(row?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
      }
    }
  }
}
