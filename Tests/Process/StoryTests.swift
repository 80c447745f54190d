import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the daily work of two machines, with real processes.
  @Suite struct StoryTests {
    @Test("A code sent as text and entered through standard input pairs two machines")
    func pairingThroughStandardInput() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let invite = try parent.launch(["pair", "invite", "--yes", "--for", "Emma"])
        try await eventually("a code is shown") { ProcessLab.read(invite.output).contains("\n") }
        let code = ProcessLab.read(invite.output)
        #expect(code.hasPrefix("LK1"))

        let joined = try await child.latchkey("pair", "join", input: code.lowercased())
        #expect(joined.status == 0, "\(joined)")
        #expect(joined.talk.contains("Paired with “Kitchen laptop”"))
        #expect(await invite.process.wait() == .exited(0), "\(ProcessLab.read(invite.talk))")

        let devices = try await parent.latchkey("devices", "list", "--format", "json").decode([PeerStatus].self)
        #expect(devices.map(\.device.name.text) == ["Emma's PC"])
        #expect(devices.first?.device.childName == "Emma")
        #expect(devices.first?.device.role == .child)
        // The code is in no log and no list afterwards.
        for text in [parent.log, child.log, joined.talk, ProcessLab.read(invite.talk)] {
          #expect(!text.lowercased().contains(code.lowercased().split(separator: "\n")[0]))
        }
      }
    }

    @Test("Two machines find each other over mDNS on loopback, and again after a restart on another port")
    func discoveryOverLoopback() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        try await lab.pair(parent, child)
        // Machines of other tests may be on loopback as well, but they are no members.
        try await eventually("the child is announced") {
          try await !parent.api.ask(Endpoints.getNearby).members.isEmpty
        }
        let nearby = try await parent.latchkey("nearby", "--format", "json").decode(NearbyMachines.self)
        #expect(nearby.members.map(\.name.text) == ["Emma's PC"])
        #expect(nearby.members.first?.isConnected == true)
        _ = try await lab.code(from: parent)
        try await eventually("the child sees the open code") {
          try await !child.api.ask(Endpoints.getNearby).invitations.isEmpty
        }
        await parent.kill()
        // Before the parent is back, which is found at once: else no call has to fail.
        try await eventually("the child has noticed, and has called in vain") {
          guard try await !child.isConnected() else { return false }
          return try await child.api.ask(Endpoints.getDevices).first?.addresses.contains { $0.failure != nil } == true
        }
        // The new port is announced only over mDNS.
        try await parent.start(["--port", "\(try lab.freePort())"])
        try await eventually("the child is back") { try await parent.isConnected() }
        // The child knows both places of the parent's: the one it was paired at, and the one that
        // works now.
        try await eventually("the child remembers where the parent is") {
          let port = try await parent.port()
          let known = try await child.api.ask(Endpoints.getDevices).first?.addresses ?? []
          return known.contains { $0.address.hasSuffix(":\(port)") } && known.contains { $0.failure != nil }
        }
        let id = try await parent.issue(.message("found you"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
      }
    }

    @Test("A rule set on the parent's machine is in force on the child's, and a program's use is reported back")
    func rulesAndUse() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let set = try await parent.latchkey(
          "app", "set", "org.gnome.Chess", "--family", "--category", "reward", "--points-per-minute", "2",
          "--blocked", "--wait")
        #expect(set.status == 0, "\(set)")
        let apps = try await child.latchkey("apps", "list", "--format", "json").decode([ChildApps].self).flatMap(\.apps)
        #expect(apps.map(\.appID.text) == ["org.gnome.Chess"])
        #expect(apps.first?.isBlocked == true)
        #expect(apps.first?.milliPointsPerMinute == 2_000)

        let tracked = try await child.latchkey("usage", "track", "--app", "org.gnome.Chess", "--", "/bin/true")
        #expect(tracked.status == 0, "\(tracked)")
        try await parent.eventuallyHasUsage(1)
        let session = try #require(try await parent.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.first)
        #expect(session.deviceName.text == "Emma's PC")
        #expect(session.record.appID.text == "org.gnome.Chess")
        #expect(session.record.category == .reward)
        #expect(session.record.milliPointsPerMinute == 2_000)
        let listed = try await parent.latchkey("usage", "list", "--on", "Emma's PC", "--format", "csv")
        #expect(listed.output.split(separator: "\r\n").count == 2 || listed.output.split(separator: "\n").count == 2)
      }
    }

    @Test(
      "Commands issued while a killed child is away are applied once and in order")
    func childAway() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        var ids: [String] = []
        for text in ["one", "two", "three"] { ids.append(try await parent.issue(.message(text), to: "Emma's PC")) }
        // Edits beside them: each may set other registers, so that none replaces another.
        for limit in 1...3 { ids.append(try await parent.set("app/a.b/limit", "\(limit)")) }
        let waiting = try await parent.api.ask(Endpoints.getCommands, ("Emma's PC", 100))
        #expect(waiting.map(\.status) == Array(repeating: .queued, count: 6))
        let queue = try #require(
          try await parent.api.ask(Endpoints.getDevices).first?.queues.first { $0.streamClass == .command })
        #expect(queue.waitingItems == 6 && queue.undelivered.isEmpty)

        try await child.start()
        for id in ids { #expect(try await parent.ended(id).status == .executed) }
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text).sorted() == ["one", "three", "two"])
        #expect(try await child.apps().map(\.limit) == ["3"])
        // The audit is written with each effect: it tells the order, and that each took place once.
        await child.kill()
        let audit = try child.read {
          try String.fetchAll(
            $0, sql: "SELECT new FROM audit WHERE action = 'register.set' AND target LIKE '%limit' ORDER BY number")
        }
        #expect(audit == ["1", "2", "3"])
        let applied = try child.read {
          try Row.fetchAll(
            $0, sql: "SELECT lower(hex(command_id)) AS id FROM applied_command ORDER BY applied_at, command_id"
          ).map { $0["id"] as String }
        }
        #expect(applied == ids.map { $0.filter { $0 != "-" } })
      }
    }

    @Test("A command survives a parent's node that is killed right after it was accepted")
    func parentKilledAfterAccepting() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        let accepted = try await parent.latchkey(
          "app", "set", "org.example.Game", "--family", "--blocked", "--format", "json")
        await parent.kill()
        #expect(accepted.status == 0, "\(accepted)")
        let id = try #require(try accepted.decode(FamilyEdit.self).commands.first).commandID.description
        try await parent.start()
        try await child.start()
        #expect(try await parent.ended(id).status == .executed)
        #expect(try await child.apps().map(\.isBlocked) == [true])
      }
    }

    @Test("SIGTERM ends a connected node cleanly, with status 0", arguments: [SIGTERM, SIGINT])
    func leavesCleanly(signal: Int32) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.signal(signal)
        #expect(await child.wait() == .exited(0), "\(child.log.suffix(2_000))")
        #expect(child.log.contains("stopped"))
        // A goodbye, and not a time-out, told the other side.
        try await eventually("the parent has noticed") { try await !parent.isConnected() }
        try await child.start()
        try await eventually("the child is back") { try await parent.isConnected() }
        #expect(await parent.terminate() == .exited(0))
      }
    }

    @Test("A second node on the same folder is refused with a sentence that names the process")
    func secondNode() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.runningNode(.parent, "Kitchen laptop")
        let second = try await node.latchkey("run", "--interfaces", "lo", "--no-discovery")
        #expect(second.status == 75, "\(second)")
        #expect(second.talkLines.count == 1, "\(second)")
        #expect(second.talk.contains("process \(try #require(await node.pid))"), "\(second)")
        // The first goes on.
        #expect(try await node.api.ask(Endpoints.getStatus).name.text == "Kitchen laptop")
      }
    }

    @Test("A command cancelled while the child is away never takes effect")
    func cancelled() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        let before = try await parent.issue(.message("kept"), to: "Emma's PC")
        let unwanted = try await parent.issue(.message("unwanted"), to: "Emma's PC")
        let after = try await parent.issue(.message("kept as well"), to: "Emma's PC")
        let cancel = try await parent.latchkey("commands", "cancel", unwanted)
        #expect(cancel.status == 0, "\(cancel)")
        try await child.start()
        for id in [before, after] { #expect(try await parent.ended(id).status == .executed) }
        #expect(try await parent.ended(unwanted).status == .cancelled)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text).sorted() == ["kept", "kept as well"])
        let late = try await parent.latchkey("commands", "cancel", after)
        #expect(late.status == 65 && late.talkLines.count == 1, "\(late)")
        await child.kill()
        #expect(try child.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM applied_command") } == 2)
      }
    }

    @Test("A command with a damaged body fails with a reason that its sender sees, and later commands are executed")
    func damagedBody() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        await child.kill()
        let bad = try await parent.issue(.message("damaged on its way"), to: "Emma's PC")
        await parent.kill()
        try parent.edit { try $0.execute(sql: "UPDATE outbox_item SET body = x'FFFF' WHERE class = 2") }
        try await parent.start()
        let good = try await parent.issue(.message("whole"), to: "Emma's PC")
        try await child.start()
        let failed = try await parent.ended(bad)
        #expect(failed.status == .failed)
        #expect(failed.reason?.isEmpty == false)
        #expect(try await parent.ended(good).status == .executed)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["whole"])
        let waited = try await parent.latchkey("commands", "wait", bad)
        #expect(waited.status == 65 && waited.talkLines.count == 1, "\(waited)")
      }
    }
  }
}
