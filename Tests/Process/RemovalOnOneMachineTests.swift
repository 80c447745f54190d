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

    /// Tries either side's removal, with discovery and without it, all at one time, since most of
    /// it is waiting.
    private func each(
      _ body: @escaping @Sendable (_ lab: ProcessLab, _ side: Remover, _ options: [String]) async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for side in Remover.allCases {
          for options in Self.discovery {
            group.addTask { try await ProcessLab.run { lab in try await body(lab, side, options) } }
          }
        }
        try await group.waitForAll()
      }
    }

    /// Pairs a parent and a child, and gives them as the one that removes and the one that is
    /// removed.
    private func pair(_ lab: ProcessLab, _ remover: Remover) async throws -> (
      remover: NodeProcess, removed: NodeProcess, name: String
    ) {
      let (parent, child) = try await lab.pairedFamily()
      return remover == .parent ? (parent, child, "Emma's PC") : (child, parent, "Kitchen laptop")
    }

    @Test("A removal made while the other node was off is delivered once both run, in either order")
    func givenWhileAway() async throws {
      try await each { lab, side, options in
        let (remover, removed, name) = try await pair(lab, side)
        await removed.kill()
        #expect(try await !remover.api.ask(Endpoints.deleteDevice, name).wasTold, "\(side), \(options)")
        await remover.kill()
        for node in side == .parent ? [remover, removed] : [removed, remover] { try await node.start(options) }
        try await eventually("\(side), \(options): the removed node knows") { try await !untold(removed) }
        try await eventually("\(side), \(options): the remover knows that it does") { try await !untold(remover) }
        #expect(try await removed.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("the family at") })
      }
    }

    @Test("A removal whose acknowledgement was lost counts as told once both run, without a given address")
    func lostWord() async throws {
      try await each { lab, side, options in
        let (remover, removed, name) = try await pair(lab, side)
        await removed.kill()
        _ = try await remover.api.ask(Endpoints.deleteDevice, name)
        await remover.kill()
        // As they stand when the removed node has committed and both lost power before a word of it
        // was out.
        try remover.edit { try $0.execute(sql: "UPDATE peer SET removal_sessions = 1") }
        try removed.edit { try $0.execute(sql: "UPDATE peer SET state = 4, pairwise_key = zeroblob(32)") }
        for node in [removed, remover] { try await node.start(options) }
        try await eventually("\(side), \(options): the remover lets it be") { try await !untold(remover) }
        await remover.kill()
        let row = try remover.read { try Row.fetchOne($0, sql: "SELECT state, pairwise_key FROM peer") }
        #expect(row?["state"] as Int? == 4)
        #expect(row?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
      }
    }
  }
}
