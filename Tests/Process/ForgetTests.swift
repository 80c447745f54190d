import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the removal of a machine in any state, and of pairing it again.
  @Suite struct ForgetTests {
    /// The peer's row of a node that is stopped.
    private func row(_ node: NodeProcess) throws -> Row? {
      try node.read { try Row.fetchOne($0, sql: "SELECT * FROM peer") }
    }

    private func use(_ child: NodeProcess) async throws {
      let tracked = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/true")
      #expect(tracked.status == 0, "\(tracked)")
    }

    @Test("A connected machine that is forgotten is removed immediately and is not told")
    func whileConnected() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        try await use(child)
        try await parent.eventuallyHasUsage(1)
        let forgotten = try await parent.latchkey("devices", "forget", "Emma's PC")
        #expect(forgotten.status == 0 && forgotten.talkLines.count == 1, "\(forgotten)")
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
        try await eventually("the child gets silence") {
          try await child.api.ask(Endpoints.getDevices).first?.lastError?.contains("did not answer") == true
        }
        #expect(
          try await child.api.ask(Endpoints.getStatus).warnings.allSatisfy { !$0.contains("removed this machine") })
        #expect(try await child.api.ask(Endpoints.getDevices).map(\.device.state) == [.active])
        // Its history can still be asked for by its name.
        let usage = try await parent.latchkey("usage", "list", "--on", "Emma's PC", "--format", "json")
        #expect(usage.status == 0 && usage.output.contains("a.b"), "\(usage)")
        await parent.kill()
        let row = try row(parent)
        #expect(row?["state"] as Int? == 4)
        #expect(row?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
        #expect(try parent.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM outbox_item") } == 0)
        let actions = try parent.read { try String.fetchAll($0, sql: "SELECT action FROM audit ORDER BY number") }
        #expect(actions.contains("device.forgotten"))
      }
    }

    @Test(
      "An absent, quarantined or removed machine can be forgotten, which cancels its commands",
      arguments: ["away", "quarantined", "untold"])
    func whateverItsState(state: String) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        #expect(await child.terminate() == .exited(0))
        var ids: [String] = []
        for number in 1...3 { ids.append(try await parent.issue(.message("\(number)"), to: "Emma's PC")) }
        var cancelled = 0
        if state == "quarantined" {
          await parent.kill()
          try parent.edit { try $0.execute(sql: "UPDATE peer SET quarantined_at = 1") }
          try await parent.start()
          #expect(try await parent.api.ask(Endpoints.getDevices).map(\.marks) == [[.quarantined]])
        }
        if state == "untold" {
          let removed = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
          cancelled = removed.cancelledCommands
          #expect(removed.cancelled.map(\.description) == ids && !removed.wasTold)
          #expect(try await parent.api.ask(Endpoints.getDevices).map(\.marks) == [[.removalUntold]])
          let listed = try await parent.latchkey("devices", "list")
          #expect(listed.output.contains("removed, not told yet"), "\(listed)")
        }
        let result = try await parent.api.ask(Endpoints.forgetDevice, "Emma's PC")
        #expect(result.cancelledCommands + cancelled == 3)
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
        for id in ids { #expect(try await parent.api.ask(Endpoints.getCommand, id).status == .cancelled) }
        // It calls, and is a stranger.
        try await child.start()
        try await eventually("the child gets silence") {
          try await child.api.ask(Endpoints.getDevices).first?.lastError?.contains("did not answer") == true
        }
        #expect(try await child.api.ask(Endpoints.getStatus).messages.isEmpty)
        let again = try await parent.latchkey("devices", "forget", "Emma's PC")
        #expect(again.status == 67 && again.talkLines.count == 1, "\(again)")
      }
    }

    @Test("A removal survives restarts of both machines, and is delivered at the next contact")
    func toldMuchLater() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        #expect(await child.terminate() == .exited(0))
        #expect(try await !parent.api.ask(Endpoints.deleteDevice, "Emma's PC").wasTold)
        for _ in 1...2 { try await parent.restart() }
        #expect(try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC").cancelledCommands == 0)
        await parent.kill()
        try await child.restart()
        await child.kill()
        try await parent.start()
        try await child.start()
        try await eventually("the child knows") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        try await eventually("the parent knows that it does") { try await parent.api.ask(Endpoints.getDevices).isEmpty }
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.count == 1)
      }
    }

    @Test("Two machines that removed each other tell each other once")
    func bothRemoved() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        _ = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        await parent.kill()
        try await child.start()
        _ = try await child.api.ask(Endpoints.deleteDevice, "Kitchen laptop")
        try await parent.start()
        for node in [parent, child] {
          try await eventually("\(node.name) is done") { try await node.api.ask(Endpoints.getDevices).isEmpty }
        }
      }
    }

    @Test("A removal whose acknowledgement was lost counts as told after a few unanswered calls")
    func lostWord() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        _ = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
        await parent.kill()
        // As they stand when the child has committed and both lost power before a word of it was
        // out.
        try parent.edit { try $0.execute(sql: "UPDATE peer SET removal_sessions = 1") }
        try child.edit { try $0.execute(sql: "UPDATE peer SET state = 4, pairwise_key = zeroblob(32)") }
        // The parent knows where the child is.
        try await child.start()
        let port = try await child.port()
        try await parent.start(["--no-discovery", "--peer", "127.0.0.1:\(port)"])
        try await eventually("the parent lets it be") { try await parent.api.ask(Endpoints.getDevices).isEmpty }
        #expect(parent.log.contains("silent since it was sent"))
        await parent.kill()
        #expect(try row(parent)?["state"] as Int? == 4)
        #expect(try row(parent)?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
      }
    }

    @Test(
      "A new pairing replaces the key on both sides and keeps the history",
      arguments: ["active", "unpaired", "forgotten"])
    func pairedAgain(before: String) async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        try await use(child)
        let first = try await parent.issue(.message("first"), to: "Emma's PC")
        #expect(try await parent.ended(first).status == .executed)
        try await parent.eventuallyHasUsage(1)
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        let old = try (row(parent)?["pairwise_key"] as Data?, row(child)?["pairwise_key"] as Data?)
        #expect(old.0 != nil && old.0 == old.1)
        for node in [parent, child] { try await node.start() }
        switch before {
        case "unpaired":
          _ = try await parent.api.ask(Endpoints.deleteDevice, "Emma's PC")
          try await eventually("the child knows") { try await child.api.ask(Endpoints.getStatus).peers.isEmpty }
        case "forgotten": _ = try await parent.api.ask(Endpoints.forgetDevice, "Emma's PC")
        default: break
        }
        for _ in 1...2 { try await lab.pair(parent, child) }
        try await use(child)
        let second = try await parent.issue(.message("second"), to: "Emma's PC")
        #expect(try await parent.ended(second).status == .executed)
        try await parent.eventuallyHasUsage(2)
        #expect(try await parent.api.ask(Endpoints.getDevices).count == 1)
        let given = try await parent.api.ask(Endpoints.getCommands, ("Emma's PC", 10))
        // A machine that was forgotten is asked by the node itself what it holds.
        #expect(given.count { $0.payload.kind == "message" } == 2)
        #expect(try await child.usage().count == 2)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.count == 2)
        try await eventually("no keys are on their way") {
          try await parent.api.ask(Endpoints.getDevices).map(\.marks) == [[]]
        }
        // The pairing explains missing data, so no warning about a restored machine is shown.
        for node in [parent, child] {
          try await node.restart()
          try await eventually("\(node.name) is connected") { try await node.isConnected() }
          let warnings = try await node.api.ask(Endpoints.getStatus).warnings
          #expect(
            !warnings.contains { $0.contains("than this machine knows") || $0.contains("has lost") }, "\(warnings)")
        }
        for node in [parent, child] { #expect(await node.terminate() == .exited(0)) }
        let new = try (row(parent)?["pairwise_key"] as Data?, row(child)?["pairwise_key"] as Data?)
        #expect(new.0 == new.1 && new.0 != old.0)
        for node in [parent, child] {
          let paired = try node.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM audit WHERE action = 'device.paired'")
          }
          #expect(paired == 3)
        }
      }
    }
  }
}
