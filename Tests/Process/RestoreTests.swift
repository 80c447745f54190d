import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of a state folder that is restored from a backup, or a database that is lost: the other
  /// machine detects it, and all data that exist anywhere are restored.
  @Suite struct RestoreTests {
    private func backUp(_ node: NodeProcess, _ lab: ProcessLab) throws -> String {
      let path = lab.newPath()
      try FileManager.default.copyItem(atPath: node.folder, toPath: path)
      return path
    }

    private func restore(_ node: NodeProcess, from path: String) throws {
      try FileManager.default.removeItem(atPath: node.folder)
      try FileManager.default.copyItem(atPath: path, toPath: node.folder)
    }

    private func inStep(_ nodes: [NodeProcess]) async throws {
      try await eventually("all is in step") {
        for node in nodes {
          guard try await node.isConnected(), try await node.hasNothingWaiting() else { return false }
        }
        return true
      }
    }

    private func texts(_ node: NodeProcess) async throws -> [String] {
      try await node.api.ask(Endpoints.getStatus).messages.map(\.text).sorted()
    }

    @Test(
      "A restored parent that assigns numbers again before any contact loses none of its new commands")
    func parentRestored() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        for text in ["one", "two"] {
          _ = try await parent.ended(try await parent.issue(.message(text), to: "Emma's PC"))
        }
        try await inStep([parent, child])
        _ = await parent.terminate()
        let backup = try backUp(parent, lab)
        try await parent.start()
        for text in ["three", "four", "five"] {
          _ = try await parent.ended(try await parent.issue(.message(text), to: "Emma's PC"))
        }
        try await inStep([parent, child])
        // The child is away while the parent, set back, gives the numbers of three to five to other
        // commands, and one more.
        _ = await child.terminate()
        _ = await parent.terminate()
        try restore(parent, from: backup)
        try await parent.start()
        var ids: [String] = []
        for text in ["six", "seven", "eight", "nine"] {
          ids.append(try await parent.issue(.message(text), to: "Emma's PC"))
        }
        try await child.start()
        for id in ids { #expect(try await parent.ended(id).status == .executed) }
        try await inStep([parent, child])
        #expect(
          try await texts(child) == ["eight", "five", "four", "nine", "one", "seven", "six", "three", "two"])
        let warnings = try await parent.api.ask(Endpoints.getStatus).warnings
        #expect(warnings.contains { $0.contains("restored from a backup") && $0.contains("latchkey") }, "\(warnings)")
      }
    }

    @Test("A parent restored to a state before its first command reports that, although it has no stream to restart")
    func parentRestoredToTheBeginning() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        try await inStep([parent, child])
        _ = await parent.terminate()
        let backup = try backUp(parent, lab)
        try await parent.start()
        _ = try await parent.ended(try await parent.issue(.message("one"), to: "Emma's PC"))
        try await inStep([parent, child])
        _ = await parent.terminate()
        try restore(parent, from: backup)
        try await parent.start()
        try await eventually("the parent says that it was set back") {
          try await parent.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("restored from a backup") }
        }
        _ = try await parent.ended(try await parent.issue(.message("two"), to: "Emma's PC"))
        #expect(try await texts(child) == ["one", "two"])
      }
    }

    @Test("A restored parent hears what it had set and has lost, and sets it again if its person wants that")
    func parentTakesOver() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        func set(_ app: String, _ minutes: Int) async throws {
          let id = try await parent.set("app/\(app)/limit", "\(minutes)")
          #expect(try await parent.ended(id).status == .executed)
        }
        func limits() async throws -> [String: String?] {
          Dictionary(uniqueKeysWithValues: try await parent.apps().map { ($0.appID.text, $0.limit) })
        }
        try await set("a.b", 10)
        try await inStep([parent, child])
        _ = await parent.terminate()
        let backup = try backUp(parent, lab)
        try await parent.start()
        try await set("a.b", 20)
        try await set("c.d", 30)
        try await inStep([parent, child])
        _ = await parent.terminate()
        try restore(parent, from: backup)
        try await parent.start()
        try await eventually("the child has said what it holds") {
          try await parent.api.ask(Endpoints.getStatus).warnings.contains {
            $0.contains(
              "settings of this machine's that are not known here: a.b at most 20 min a day, c.d at most 30 min")
              && $0.contains("latchkey report adopt --on \"Emma's PC\"")
          }
        }
        #expect(try await limits() == ["a.b": "10"], "nothing is taken over by itself")
        let adopted = try await parent.latchkey("report", "adopt", "--on", "Emma's PC")
        #expect(adopted.status == 0, "\(adopted)")
        #expect(try await limits() == ["a.b": "20", "c.d": "30"])
        try await parent.restart()
        try await eventually("nothing is left to say") {
          try await parent.api.ask(Endpoints.getStatus).warnings.isEmpty
        }
        // A later rule holds on both.
        try await set("c.d", 40)
        #expect(try await limits() == ["a.b": "20", "c.d": "40"])
      }
    }

    @Test("A parent that is set back to one backup twice blames itself both times, and asks both times")
    func parentRestoredTwice() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        func set(_ minutes: Int) async throws {
          let id = try await parent.set("app/a.b/limit", "\(minutes)")
          #expect(try await parent.ended(id).status == .executed)
        }
        try await set(10)
        try await inStep([parent, child])
        _ = await parent.terminate()
        let backup = try backUp(parent, lab)
        try await parent.start()
        try await set(20)
        try await inStep([parent, child])
        for round in 1...2 {
          _ = await parent.terminate()
          try restore(parent, from: backup)
          try await parent.start()
          try await eventually("the child has said what it holds, round \(round)") {
            try await parent.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("a.b at most 20 min a day") }
          }
          let warnings = try await parent.api.ask(Endpoints.getStatus).warnings
          #expect(
            warnings.contains { $0.contains("This machine has lost data that “Emma's PC” still has") }, "\(warnings)")
          #expect(!warnings.contains { $0.contains("“Emma's PC” has lost data") }, "\(warnings)")
          try await inStep([parent, child])
        }
      }
    }

    @Test("A restored parent gets usage and receipts again that it had reported as stored since the backup")
    func parentLostRecords() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/true")
        try await parent.eventuallyHasUsage(1)
        let early = try await parent.issue(.message("early"), to: "Emma's PC")
        _ = try await parent.ended(early)
        try await inStep([parent, child])
        _ = await parent.terminate()
        let backup = try backUp(parent, lab)
        try await parent.start()
        for _ in 1...3 { _ = try await child.latchkey("usage", "track", "--app", "c.d", "--", "/bin/true") }
        try await parent.eventuallyHasUsage(4)
        try await inStep([parent, child])
        _ = await parent.terminate()
        try restore(parent, from: backup)
        try await parent.start()
        try await parent.eventuallyHasUsage(4)
        try await inStep([parent, child])
        #expect(try await Set(parent.usage()) == Set(child.usage()))
        #expect(try await parent.ended(early).status == .executed)
        let warnings = try await child.api.ask(Endpoints.getStatus).warnings
        #expect(warnings.contains { $0.contains("has lost data: perhaps") }, "\(warnings)")
      }
    }

    @Test(
      "A restored child gets the newest rule of each application again, and messages that it never had"
    )
    func childRestored() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = try await parent.ended(try await parent.set("app/a.b/limit", "10"))
        try await inStep([parent, child])
        _ = await child.terminate()
        let backup = try backUp(child, lab)
        try await child.start()
        for limit in [20, 30] {
          _ = try await parent.ended(try await parent.set("app/a.b/limit", "\(limit)"))
        }
        _ = try await parent.ended(try await parent.set("app/c.d/blocked", "yes"))
        try await inStep([parent, child])
        _ = await child.terminate()
        try restore(child, from: backup)
        try await child.start()
        try await eventually("the newest rules hold again") {
          let apps = try await child.apps()
          return apps.first { $0.appID.text == "a.b" }?.limit == "30"
            && apps.contains { $0.appID.text == "c.d" && $0.isBlocked }
        }
        try await inStep([parent, child])
        let states = try await parent.api.ask(Endpoints.getCommands, ("Emma's PC", 100)).map(\.status)
        // Each edit is sent again; the limit of 20 is overtaken by nothing when it comes, and then
        // by that of 30.
        #expect(states == [.executed, .executed, .executed, .executed], "\(states)")
      }
    }

    @Test("A child whose database is lost keeps its keys and stays paired if the person follows the message")
    func databaseLost() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = try await parent.ended(try await parent.set("app/a.b/blocked", "yes"))
        try await inStep([parent, child])
        await child.kill()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: child.database + suffix) }
        try await child.start()
        // Its pairing was in the database: it is unpaired, and pairing again brings everything
        // back.
        #expect(try await child.paired().isEmpty)
        try await lab.pair(parent, child)
        try await inStep([parent, child])
        try await eventually("the rule holds again") {
          try await child.apps().contains { $0.isBlocked }
        }
      }
    }
  }
}
