import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Both sides are killed again and again while usage goes up and commands go down.
  @Suite struct CrashLoopTests {
    private static let records = Length.pick(1_600, thorough: 10_000)
    private static let commands = Length.pick(120, thorough: 500)

    @Test("Records and commands survive 40 crashes on both sides, each delivered exactly once and in order")
    func loop() async throws {
      var random = SeededRandom()
      let note = random.note
      print("CrashLoopTests: \(note)")
      try await ProcessLab.run(hasAgents: true) { lab in
        // A port that the kernel assigns to no other process while the parent is down.
        let options = ["--no-discovery", "--port", "\(try lab.freePort())"]
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", options)
        let child = try await lab.runningNode(.child, "Emma's PC")
        try await lab.pair(parent, child)
        for node in [parent, child] {
          #expect(await node.terminate() == .exited(0))
          try CrashWitness.install(in: node)
          try await node.start()
        }
        let plan = CrashStep.plan(&random)
        let deaths = plan.reduce(0) { $0 + $1.deaths }
        let pace = CrashPace(total: Self.records, deaths: deaths)
        let feed = CrashFeed(
          parent: parent, child: child, records: Self.records, commands: Self.commands, pace: pace)
        let clock = ContinuousClock()
        let begin = clock.now
        let orders = random.next()
        let places = try await withThrowingTaskGroup(of: [String: Int].self) { group in
          group.addTask {
            try await feed.run()
            return [:]
          }
          group.addTask {
            var run = CrashRun(parent: parent, child: child, pace: pace)
            var random = SeededRandom(seed: orders)
            try await run.carryOut(plan, &random)
            return run.deaths
          }
          return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
        try await settle(parent, child)
        let seconds = (clock.now - begin).components.seconds
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        let refused = try check(parent, child, note)
        #expect(places.values.reduce(0, +) >= 40, "\(places)")
        for point in CrashStep.points {
          for side in ["parent", "child"] { #expect(places["\(side): \(point)"] != nil, "\(side): \(point), \(note)") }
        }
        print(
          """
          CrashLoopTests: \(places.values.reduce(0, +)) deaths, \(Self.records) records and \(Self.commands) commands in \
          \(seconds) s, \((Self.records + Self.commands) / max(1, Int(seconds)))/s, \(refused) duplicates refused; \
          \(places.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
          """)
      }
    }

    /// Waits until all queues are empty and every command has its receipt.
    private func settle(_ parent: NodeProcess, _ child: NodeProcess) async throws {
      try await eventually("nothing waits on the child") { try await child.hasNothingWaiting() }
      try await eventually("nothing waits on the parent") { try await parent.hasNothingWaiting() }
      try await eventually("every command has its receipt") {
        try await parent.api.ask(Endpoints.getCommands, (child.name, 10_000)).allSatisfy { $0.status.isFinal }
      }
      try await eventually("nothing waits on the child") { try await child.hasNothingWaiting() }
    }

    /// Compares both databases with the supplied items; returns the number of repeated deliveries.
    private func check(_ parent: NodeProcess, _ child: NodeProcess, _ note: String) throws -> Int {
      let recorded = try CrashWitness.ids("usage kept", of: child)
      #expect(recorded.count == Self.records && Set(recorded).count == Self.records, "\(note)")
      let arrived = try CrashWitness.ids("usage kept", of: parent)
      #expect(Set(arrived) == Set(recorded) && arrived.count == recorded.count, "\(arrived.count) arrived, \(note)")
      // In the order of recording, except for items that waited when their stream restarted.
      let anew = try Set(CrashWitness.ids("begun anew", of: child))
      #expect(arrived.filter { !anew.contains($0) } == recorded.filter { !anew.contains($0) }, "\(note)")
      #expect(anew.count < Self.records * 9 / 10, "\(note)")
      // The plan causes two restarts on each side; a crash alone causes none.
      let restarts = try [parent, child].map {
        try CrashWitness.ids("restart", of: $0).map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(restarts == [["2", "2"], ["4", "4"]], "\(note)")

      let given = try CrashWitness.ids("given", of: parent)
      #expect(given.count == Self.commands && Set(given).count == Self.commands, "\(note)")
      let executed = try CrashWitness.ids("command", of: child)
      #expect(executed == given, "\(executed.count) executed, \(note)")
      let answered = try CrashWitness.ids("receipt", of: parent)
      #expect(Set(answered) == Set(given), "\(answered.count) answered, \(note)")

      let (rowsHere, rowsThere) = (try usage(child), try usage(parent))
      #expect(rowsHere == rowsThere, "\(note)")
      try child.read { database in
        let audit = try String.fetchAll(
          database,
          sql: "SELECT new FROM audit WHERE action = 'register.set' AND target LIKE '% app/rule.%' ORDER BY number")
        #expect(audit == (1...Self.commands).map(String.init), "\(note)")
        let apps = try String.fetchAll(database, sql: "SELECT app_id FROM usage_record")
        #expect(Set(apps) == Set((1...Self.records).map { "use.\($0)" }), "\(note)")
      }
      for node in [parent, child] {
        for table in ["outbox_item", "open_session"] {
          let left = try node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM \(table)") }
          #expect(left == 0, "\(node.name), \(table), \(note)")
        }
        let verdict = try node.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        #expect(verdict == ["ok"], "\(node.name), \(note)")
      }
      try parent.read { database in
        let statuses = try Row.fetchAll(database, sql: "SELECT status, COUNT(*) AS count FROM command GROUP BY status")
        let counts = statuses.map { "\($0["status"] as String) \($0["count"] as Int)" }
        #expect(counts == ["executed \(Self.commands)"], "\(note)")
      }
      let met = try CrashWitness.ids("usage met", of: parent).count
      return met - arrived.count + answered.count - Set(answered).count
    }

    private func usage(_ node: NodeProcess) throws -> [[DatabaseValue]] {
      try node.read {
        try Row.fetchAll($0, sql: "SELECT * FROM usage_record ORDER BY record_id").map { Array($0.databaseValues) }
      }
    }
  }
}
