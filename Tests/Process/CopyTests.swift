import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// A state folder that is on two machines, or on another one than before.
  @Suite struct CopyTests {
    /// Returns the variables that give a process another machine ID.
    private func machine(_ lab: ProcessLab, _ digit: Character?) throws -> [String: String] {
      let path = lab.newPath()
      if let digit { try Data((String(repeating: digit, count: 32) + "\n").utf8).write(to: URL(fileURLWithPath: path)) }
      return ["LATCHKEY_MACHINE_ID_FILE": path]
    }

    private func mark(_ node: NodeProcess) throws -> String? {
      let data = try Data(contentsOf: URL(fileURLWithPath: node.folder + "/node.json"))
      return try (JSONSerialization.jsonObject(with: data) as? [String: Any])?["machine"] as? String
    }

    @Test(
      "A folder on another machine is refused with both solutions and not changed until the person chooses one")
    func changedMachine() async throws {
      try await ProcessLab.run { lab in
        let (here, there) = (try machine(lab, "1"), try machine(lab, "2"))
        let node = try await lab.node(.parent, "Kitchen laptop", variables: here)
        try await node.start()
        #expect(await node.terminate() == .exited(0))
        // The output of `systemd-id128 machine-id --app-specific=39191aab21e84aaf83d20bc01dd63137`
        // for that ID.
        #expect(try mark(node) == "a7d481adc8754de29d8129e367233033")

        await node.use(there)
        let run = ["run", "--interfaces", "lo", "--no-discovery"]
        let database = FileManager.default.contents(atPath: node.database)
        let refused = try await node.latchkey(run)
        #expect(refused.status == 78 && refused.talkLines.count == 1, "\(refused)")
        #expect(refused.talk.contains("`latchkey identity keep`") && refused.talk.contains("`latchkey identity renew`"))
        #expect(FileManager.default.contents(atPath: node.database) == database)

        let kept = try await node.latchkey(["identity", "keep"])
        #expect(kept.status == 0 && kept.talkLines.count == 1, "\(kept)")
        try await node.start()
        let busy = try await node.latchkey(["identity", "renew"])
        #expect(busy.status == 75 && busy.talkLines.count == 1, "\(busy)")
        let id = try await node.api.ask(Endpoints.getStatus).deviceID
        #expect(await node.terminate() == .exited(0))

        await node.use(here)
        #expect(try await node.latchkey(run).status == 78)
        let renewed = try await node.latchkey(["identity", "renew", "--verbose"])
        #expect(renewed.status == 0, "\(renewed)")
        #expect(renewed.output != "\(id)\n" && DeviceID(renewed.output.trimmingCharacters(in: .newlines)) != nil)
        try await node.start()
        #expect(try await "\(node.api.ask(Endpoints.getStatus).deviceID)\n" == renewed.output)
      }
    }

    @Test(
      "A machine without an ID is not checked, which the log states; a folder without a mark gets this machine's")
    func noMachineID() async throws {
      try await ProcessLab.run { lab in
        let node = try await lab.node(.parent, "Kitchen laptop", variables: try machine(lab, nil))
        #expect(try mark(node) == nil)
        try await node.start()
        #expect(node.log.contains("no /etc/machine-id"))
        await node.kill()
        await node.use(try machine(lab, "3"))
        try await node.start()
        #expect(try mark(node)?.count == 32)
        await node.kill()
        await node.use(try machine(lab, nil))
        try await node.start()
        #expect(try mark(node)?.count == 32)
      }
    }

    @Test("An interrupted change of keys is completed by the next attempt, and history remains")
    func renewalCutOff() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let tracked = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/true")
        #expect(tracked.status == 0, "\(tracked)")
        try await parent.eventuallyHasUsage(1)
        #expect(await child.terminate() == .exited(0))
        let files = ["node.json", "identity.key", "latchkey.sqlite"]
        let before = files.map { FileManager.default.contents(atPath: child.folder + "/" + $0) }
        let first = try await child.latchkey(["identity", "renew", "--verbose"])
        #expect(first.status == 0, "\(first)")
        let after = files.map { FileManager.default.contents(atPath: child.folder + "/" + $0) }
        let id = try #require(DeviceID(first.output.trimmingCharacters(in: .newlines)))

        // The profile that names the keys to come, and each further step done or not.
        let content = try #require(before[0])
        var profile = try #require(JSONSerialization.jsonObject(with: content) as? [String: Any])
        profile["renewal"] = id.description
        let renewing = try JSONSerialization.data(withJSONObject: profile)
        let path = { (name: String) in URL(fileURLWithPath: child.folder + "/" + name) }
        for done in 0...2 {
          try renewing.write(to: path("node.json"))
          try #require(done >= 2 ? after[1] : before[1]).write(to: path("identity.key"))
          try #require(done >= 1 ? after[2] : before[2]).write(to: path("latchkey.sqlite"))
          try #require(after[1]).write(to: path("identity.key.next"))
          for name in ["identity.key", "identity.key.next"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name).path)
          }
          let run = try await child.latchkey(["run", "--interfaces", "lo", "--no-discovery"])
          #expect(run.status == 75 && run.talk.contains("latchkey identity renew"), "\(done): \(run)")
          let again = try await child.latchkey(["identity", "renew", "--verbose"])
          #expect(again.status == 0 && again.output == first.output, "\(done): \(again)")
          #expect(!FileManager.default.fileExists(atPath: path("identity.key.next").path))
          try child.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT state, pairwise_key FROM peer")
            #expect(rows.map { $0["state"] as Int } == [4], "\(done)")
            #expect(rows.first?["pairwise_key"] as Data? == Data(repeating: 0, count: 32))
            #expect(
              try Data.fetchAll(database, sql: "SELECT device_id FROM usage_record") == [Data(id.bytes)], "\(done)")
          }
        }
        try await child.start()
        #expect(try await child.usage().count == 1)
        #expect(try await child.api.ask(Endpoints.getStatus).peers.isEmpty)
        // The record that the parent has already is not sent again under another name.
        try await lab.pair(parent, child)
        #expect(try await parent.usage().count == 1)
      }
    }

    @Test("Two live machines with one key are quarantined by their peer, and each is offered its solution")
    func twoLiveMachines() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        #expect(await child.terminate() == .exited(0))
        let copy = NodeProcess(lab: lab, folder: lab.newPath(), name: "Emma's copy")
        try FileManager.default.copyItem(atPath: child.folder, toPath: copy.folder)
        try await child.start()
        try await copy.start(NodeProcess.quiet)
        try await eventually("the parent sees two") {
          try await parent.api.ask(Endpoints.getDevices).first?.marks.contains(.quarantined) == true
        }
        let shown = try await parent.latchkey("status")
        #expect(shown.output.contains("identity renew") && shown.output.contains("devices release"), "\(shown)")
        for node in [child, copy] {
          try await eventually("\(node.name) knows") {
            try await node.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("identity renew") }
          }
        }
        // Nothing flows, also after a restart, but it is not lost.
        try await parent.restart()
        let waiting = try await parent.issue(.message("for the real one"), to: "Emma's PC")
        let calls = parent.log.ranges(of: "session open").count
        try await eventually("both have called again") {
          child.log.ranges(of: "uses the same keys").count + copy.log.ranges(of: "uses the same keys").count >= 4
        }
        #expect(parent.log.ranges(of: "session open").count == calls)
        // A refused machine dials at growing intervals, although each call is answered.
        for node in [child, copy] {
          #expect(node.log.contains("the peer refuses this machine: `latchkey status` shows what to do"))
          try await eventually("\(node.name) leaves the parent alone for a while") {
            guard case .error(_, let pause)? = try await node.api.ask(Endpoints.getDevices).first?.sync else {
              return false
            }
            return pause ?? 0 > 1_500
          }
        }
        #expect(try await parent.api.ask(Endpoints.getCommand, waiting).status == .queued)
        #expect(try await !parent.isConnected())

        // The copy becomes a machine of its own.
        #expect(await copy.terminate() == .exited(0))
        #expect(try await copy.latchkey(["identity", "renew"]).status == 0)
        try await copy.start()
        let ended = try await lab.join(copy, try await lab.code(from: parent))
        #expect(ended.outcome == .ok, "\(ended)")
        let original = try await child.api.ask(Endpoints.getStatus).deviceID
        let released = try await parent.latchkey("devices", "release", "\(original)")
        #expect(released.status == 0, "\(released)")
        #expect(try await parent.ended(waiting).status == .executed)
        try await eventually("both are connected") {
          try await parent.api.ask(Endpoints.getDevices).filter { $0.isConnected }.count == 2
        }
        #expect(try await parent.api.ask(Endpoints.getDevices).allSatisfy { $0.marks.isEmpty })
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["for the real one"])
        #expect(try await copy.api.ask(Endpoints.getStatus).messages.isEmpty)
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.isEmpty)
        let again = try await parent.latchkey("devices", "release", "\(original)")
        #expect(again.status == 65 && again.talkLines.count == 1, "\(again)")
      }
    }

    @Test("A new pairing ends a quarantine in favor of the machine that entered the code")
    func pairedAnew() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        #expect(await child.terminate() == .exited(0))
        await parent.kill()
        try parent.edit { try $0.execute(sql: "UPDATE peer SET quarantined_at = 1") }
        try await parent.start()
        try await child.start()
        try await eventually("the child knows") { try await !child.api.ask(Endpoints.getStatus).warnings.isEmpty }
        try await lab.pair(parent, child)
        let id = try await parent.issue(.message("welcome back"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.marks) == [[]])
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.isEmpty)
      }
    }
  }
}
