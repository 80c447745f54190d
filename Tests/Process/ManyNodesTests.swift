import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// A large family on one machine, in trouble.
  @Suite struct ManyNodesTests {
    private static let children = Length.pick(6, thorough: 20)
    private static let items = Length.pick(25, thorough: 50)

    @Test("A parent and its children exchange commands and usage while nodes are killed at random")
    func family() async throws {
      var random = SeededRandom()
      print("ManyNodesTests: \(random.note)")
      try await ProcessLab.run { lab in
        let family = try await gather(lab)
        try await exchange(family, &random)
        try await settle(family)
        for node in family.children + [family.parent] { #expect(await node.terminate() == .exited(0)) }
        try check(family, note: random.note)
      }
    }

    /// Starts and pairs all nodes, four at a time because of the two processors.
    private func gather(_ lab: ProcessLab) async throws -> ChaosFamily {
      // A port that the kernel assigns to no other process while the parent is down.
      let parent = try await lab.runningNode(.parent, "Parent", ["--no-discovery", "--port", "\(try lab.freePort())"])
      var children: [NodeProcess] = []
      for start in stride(from: 1, through: Self.children, by: 4) {
        children += try await withThrowingTaskGroup(of: NodeProcess.self) { group in
          for number in start..<min(start + 4, Self.children + 1) {
            group.addTask { try await lab.runningNode(.child, "Child \(number)") }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      for child in children {
        let ended = try await lab.join(child, try await lab.code(from: parent))
        try #require(ended.outcome == .ok, "\(ended)")
      }
      return ChaosFamily(parent: parent, children: children)
    }

    /// Commands down, sessions up, and after every few that were accepted a node that is killed and started again.
    private func exchange(_ family: ChaosFamily, _ random: inout SeededRandom) async throws {
      let (accepted, tell) = AsyncStream<Void>.makeStream()
      let seed = random.next()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for child in family.children {
          group.addTask { try await family.giveCommands(Self.items, to: child) { tell.yield() } }
          group.addTask { try await family.recordUse(Self.items, on: child) { tell.yield() } }
        }
        group.addTask {
          var random = SeededRandom(seed: seed)
          var (count, next) = (0, 0)
          // Paced by accepted items, not by time.
          for await _ in accepted {
            count += 1
            if count == 2 * Self.items * Self.children { return }
            guard count >= next else { continue }
            next = count + 20 + random.below(40)
            try await (random.once(in: 4) ? family.parent : random.pick(family.children)).restart()
          }
        }
        try await group.waitForAll()
      }
    }

    /// Waits until every command has its receipt and all queues are empty.
    private func settle(_ family: ChaosFamily) async throws {
      for child in family.children {
        for command in try await family.parent.api.ask(Endpoints.getCommands, (child.name, 1_000)) {
          #expect(try await family.parent.ended(command.commandID.description).status == .executed)
        }
        try await eventually("nothing waits on \(child.name)") { try await child.hasNothingWaiting() }
      }
      try await eventually("nothing waits on the parent") { try await family.parent.hasNothingWaiting() }
    }

    private func check(_ family: ChaosFamily, note: String) throws {
      let order = (1...Self.items).map { "in order \($0)" }
      var sessions: Set<[DatabaseValue]> = []
      for child in family.children {
        try child.read { database in
          // All of them, once, in the order in which they took effect.
          let texts = try String.fetchAll(
            database,
            sql: """
              SELECT text FROM received_message m JOIN applied_command a ON a.command_id = m.command_id
              ORDER BY applied_at, a.command_id
              """)
          #expect(texts == order, "\(child.name), \(note)")
          #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM applied_command") == Self.items)
          #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM outbox_item") == 0)
          let rows = try Row.fetchAll(database, sql: "SELECT * FROM usage_record").map { Array($0.databaseValues) }
          #expect(rows.count == Self.items, "\(child.name), \(note)")
          let apps = try String.fetchAll(database, sql: "SELECT DISTINCT app_id FROM usage_record")
          #expect(Set(apps) == Set((1...Self.items).map { "use.\($0)" }), "\(child.name), \(note)")
          sessions.formUnion(rows)
        }
      }
      try family.parent.read { database in
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM usage_record").map { Array($0.databaseValues) }
        #expect(rows.count == Self.items * Self.children, "\(note)")
        #expect(Set(rows) == sessions, "\(note)")
        let commands = try Row.fetchAll(
          database, sql: "SELECT status, COUNT(*) AS count FROM command GROUP BY status")
        #expect(commands.map { $0["status"] as String } == ["executed"], "\(note)")
        #expect(commands.map { $0["count"] as Int } == [Self.items * Self.children], "\(note)")
        #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM outbox_item") == 0)
      }
    }
  }
}
