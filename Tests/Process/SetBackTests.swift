import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the warning about a child's machine that was restored from a backup.
  @Suite struct SetBackTests {
    private func inStep(_ nodes: [NodeProcess]) async throws {
      try await eventually("all is in step") {
        for node in nodes {
          guard try await node.isConnected(), try await node.hasNothingWaiting() else { return false }
        }
        return true
      }
    }

    private func give(_ parent: NodeProcess, _ actions: [CommandDraft]) async throws -> [String] {
      var ids: [String] = []
      for action in actions { ids.append(try await parent.issue(action, to: "Emma's PC")) }
      for id in ids { #expect(try await parent.ended(id).status == .executed) }
      return ids
    }

    /// The commands that are executed by the parent's word.
    private func executed(_ parent: NodeProcess) async throws -> Set<String> {
      try await Set(
        parent.api.ask(Endpoints.getCommands, ("Emma's PC", 1_000)).filter { $0.status == .executed }
          .map(\.commandID.description))
    }

    /// The commands that a stopped child has answered.
    private func answered(_ child: NodeProcess) throws -> Set<String> {
      try child.read { database in
        try Set(
          Data.fetchAll(database, sql: "SELECT command_id FROM applied_command")
            .compactMap { CommandID(bytes: [UInt8]($0))?.description })
      }
    }

    private func warnings(_ node: NodeProcess, _ text: String) async throws -> Int {
      try await node.api.ask(Endpoints.getStatus).warnings.count { $0.contains(text) }
    }

    @Test("No command is shown as executed that a restored child no longer has, even if it is restored twice")
    func executedIsTrue() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        func set(_ app: String, _ limit: String?) async throws -> String {
          let id = try await parent.set("app/\(app)/limit", limit)
          #expect(try await parent.ended(id).status == .executed)
          return id
        }
        let kept = try await give(parent, [.message("one"), .requestReport]) + [set("a.b", "10")]
        try await inStep([parent, child])
        _ = await child.terminate()
        let backup = lab.newPath()
        try FileManager.default.copyItem(atPath: child.folder, toPath: backup)
        try await child.start()
        for round in 1...2 {
          _ = try await give(parent, [.requestReport])
          for number in 1...20 {
            _ = try await give(parent, [.message("\(round).\(number)")])
            _ = try await set("app.\(number % 3)", "\(number)")
          }
          _ = try await set("app.0", nil)
          try await inStep([parent, child])
          _ = await child.terminate()
          try FileManager.default.removeItem(atPath: child.folder)
          try FileManager.default.copyItem(atPath: backup, toPath: child.folder)
          try await child.start()
          try await eventually("the parent knows that it was set back") {
            try await warnings(parent, "has lost data: perhaps") == 1
          }
          try await inStep([parent, child])
          _ = await child.terminate()
          let (told, true_) = (try await executed(parent), try answered(child))
          #expect(told.subtracting(true_).isEmpty, "round \(round): \(told.count) executed, \(true_.count) answered")
          #expect(Set(kept).isSubset(of: told))
          // Each has a status in words.
          let commands = try await parent.api.ask(Endpoints.getCommands, ("Emma's PC", 1_000))
          #expect(commands.allSatisfy { $0.status == .executed || $0.status == .superseded })
          // Lost commands were sent again, and had their effect once.
          let messages = try child.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM received_message") }
          #expect(messages == 1 + 20 * round)
          try await child.start()
          // The newest rules are in force again.
          let apps = try await child.apps()
          #expect(apps.map(\.appID.text).sorted() == ["a.b", "app.1", "app.2"])
          #expect(apps.compactMap(\.limit).sorted() == ["10", "19", "20"])
        }
      }
    }

    @Test("The restoration of a child is reported over restarts, until it answers a later request for a report")
    func saidUntilSettled() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = try await give(parent, [.message("one")])
        try await inStep([parent, child])
        _ = await child.terminate()
        let backup = lab.newPath()
        try FileManager.default.copyItem(atPath: child.folder, toPath: backup)
        try await child.start()
        _ = try await give(parent, [.message("two"), .requestReport])
        try await inStep([parent, child])
        _ = await child.terminate()
        try FileManager.default.removeItem(atPath: child.folder)
        try FileManager.default.copyItem(atPath: backup, toPath: child.folder)
        try await child.start()
        try await eventually("the parent says so") {
          try await warnings(parent, "has lost data: perhaps") == 1
        }
        try await eventually("the child says so") { try await warnings(child, "This machine has lost data") == 1 }
        for node in [parent, child] {
          for _ in 1...2 { try await node.restart() }
        }
        try await inStep([parent, child])
        #expect(try await warnings(parent, "has lost data: perhaps") == 1)
        #expect(try await warnings(child, "This machine has lost data") == 1)
        let doctor = try await parent.latchkey("doctor")
        #expect(doctor.output.contains("has lost data: perhaps"), "\(doctor)")
        // Another message settles nothing; the report does, for good.
        _ = try await give(parent, [.message("three")])
        #expect(try await warnings(parent, "has lost data: perhaps") == 1)
        let asked = try await parent.latchkey("report", "request", "--on", "Emma's PC", "--wait")
        #expect(asked.status == 0, "\(asked)")
        #expect(try await parent.api.ask(Endpoints.getStatus).warnings.isEmpty)
        try await parent.restart()
        try await inStep([parent, child])
        #expect(try await parent.api.ask(Endpoints.getStatus).warnings.isEmpty)
      }
    }
  }
}
