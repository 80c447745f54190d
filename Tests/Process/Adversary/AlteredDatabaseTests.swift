import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// A child's machine whose database was altered while it was stopped: for each kind of item that
  /// it sends, the parent's rules and clock and its other children's data do not change, and the
  /// parent reports the fault.
  @Suite struct AlteredDatabaseTests {
    private static let coding = MessageBodyCoding()
    private static let farAhead = HybridTimestamp.wallLimit - 1

    /// The data that no item from Emma's machine may change.
    private struct Kept: Equatable {
      var apps: [AppListing]
      var settings: FamilySettings
      var usageOfTom: [UsageRecord]
    }

    private func kept(_ parent: NodeProcess) async throws -> Kept {
      Kept(
        apps: try await parent.apps(), settings: try await parent.api.ask(Endpoints.getSettings).settings,
        usageOfTom: try await parent.usage().filter { $0.appID.text == "toms.app" })
    }

    /// A parent with two children, each with a rule; Tom's machine has been used.
    ///
    /// Both are in step, and Emma's is stopped.
    private func family(_ lab: ProcessLab) async throws -> (parent: NodeProcess, emma: NodeProcess, tom: NodeProcess) {
      let (parent, emma) = try await lab.pairedFamily()
      let tom = try await lab.runningNode(.child, "Tom's PC")
      try await lab.pair(parent, tom)
      for (key, value) in [("app/every.app/blocked", "yes"), ("points/minutesPerPoint", "7")] {
        for name in ["Emma's PC", "Tom's PC"] {
          #expect(try await parent.ended(try await parent.set(key, value, on: name)).status == .executed)
        }
      }
      _ = try await tom.latchkey("usage", "track", "--app", "toms.app", "--", "/bin/true")
      try await parent.eventuallyHasUsage(1)
      try await eventually("all is in step") {
        for node in [parent, emma, tom] where try await !node.hasNothingWaiting() { return false }
        return true
      }
      await emma.kill()
      return (parent, emma, tom)
    }

    /// Unix milliseconds of the parent's hybrid clock; the parent is stopped by this.
    private func clock(_ parent: NodeProcess) async throws -> Int64 {
      _ = await parent.terminate()
      return try #require(try parent.read { try Int64.fetchOne($0, sql: "SELECT wall FROM hybrid_clock") })
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    private static let stranger: DeviceID = {
      guard let id = DeviceID(bytes: [UInt8](repeating: 9, count: DeviceID.size)) else {
        preconditionFailure("20 bytes")
      }
      return id
    }()

    private static func held(_ register: Register) -> StateInForce {
      StateInForce(RegistersInForce([register], .enforced))
    }

    private static let wild = Register(
      .family, "points/minutesPerPoint", "9",
      modified: HybridTimestamp(wall: farAhead, counter: .max, author: stranger))

    /// Returns the false answers of a child to an edit of one register.
    private static func lies(_ register: Register) -> [(what: String, outcome: CommandReceipt.Outcome)] {
      func other(_ value: String?, _ wall: Int64, by author: DeviceID = stranger) -> StateInForce {
        var other = register
        (other.value, other.modified) = (value, HybridTimestamp(wall: wall, counter: 0, author: author))
        return held(other)
      }
      var open = register
      open.value = "no"
      let (own, now) = (register.modified.author, register.modified.wall)
      return [
        ("executed, with another value of the same time", .executed(held(open))),
        ("executed, with a rule of the year 10889", .executed(other("no", farAhead))),
        ("superseded by a rule of the year 10889", .superseded(other("no", farAhead))),
        ("superseded by a rule of an hour later", .superseded(other("no", now + 3_600_000))),
        ("superseded by a rule of this parent's that it never set", .superseded(other("no", now + 60_000, by: own))),
        ("superseded by an older rule", .superseded(other("no", now - 1))),
        ("superseded by nothing", .superseded(nil)),
        ("executed, with a deletion", .executed(other(nil, farAhead))),
        ("superseded by a deletion of the year 10889", .superseded(other(nil, farAhead))),
        ("executed, with another register", .executed(held(wild))),
        ("superseded by another register", .superseded(held(wild))),
        ("executed, with a stored message", .executed(.messageStored)),
        (
          "executed, with a report",
          .executed(.report(DeviceReport(version: "9", enforcement: .enforced, usageRecords: 1, registers: 1)))
        ),
        ("failed", .failed(reason: "Nobody told me.")),
        ("expired", .expired),
      ]
    }

    @Test("No answer of a child to a command becomes a rule or a time of the parent")
    func answers() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, emma, tom) = try await family(lab)
        var forged: [(what: String, id: String)] = []
        func answer(_ id: String, _ what: String, _ body: (ConfigurationCommand) -> [UInt8]) async throws {
          let command = try await parent.api.ask(Endpoints.getCommand, id)
          try emma.forgeAnswer(to: command.commandID, body(command))
          forged.append((what, id))
        }
        func receipt(_ command: ConfigurationCommand, _ outcome: CommandReceipt.Outcome) -> [UInt8] {
          Self.coding.encode(CommandReceipt(commandID: command.commandID, outcome: outcome, at: .max))
        }
        let count = Self.lies(Self.wild).count
        for number in 0...count {
          let id = try await parent.set("app/app.\(number)/blocked", "yes")
          try await answer(id, number < count ? Self.lies(Self.wild)[number].what : "unreadable") { command in
            guard number < count, let register = command.payload.as(Edit.self)?.registers.first else {
              return [0xFF, 0xFF, 0xFF]
            }
            return receipt(command, Self.lies(register)[number].outcome)
          }
        }
        try await answer(try await parent.issue(.message("Dinner is ready"), to: "Emma's PC"), "a message") {
          receipt($0, .executed(Self.held(Self.wild)))
        }
        try await answer(try await parent.issue(.requestReport, to: "Emma's PC"), "a report") {
          receipt($0, .executed(.messageStored))
        }

        try await emma.start()
        for (what, id) in forged {
          let ended = try await parent.ended(id)
          #expect(ended.status != .executed, "\(what)")
          #expect(ended.status != .failed || ended.reason?.hasSuffix(".") == true, "\(what)")
        }
        let warnings = try await parent.api.ask(Endpoints.getStatus).warnings.filter { $0.contains("“Emma's PC”") }
        #expect(
          warnings.contains { $0.contains("settings of this machine's that are not known here: app.4 not blocked") },
          "\(warnings)")
        #expect(warnings.contains { $0.contains("did not take") }, "\(warnings)")
        let shown = try await parent.latchkey("commands", "show", forged[0].id)
        #expect(shown.output.contains("It says that it holds"), "\(shown)")
        // What contradicts the command is shown with it alone. Of another child, it is no word at
        // all.
        let apps = try await parent.apps()
        #expect(apps.first { $0.appID.text == "app.0" }?.isBlocked == true)
        #expect(apps.first { $0.appID.text == "app.4" }?.isBlocked == true)
        #expect(try await tom.apps().allSatisfy { $0.isBlocked })
        #expect(try await tom.api.ask(Endpoints.getSettings).settings.values["minutesPerPoint"] == .number(7))

        // The next edit has the parent's own time, and holds.
        let next = try await parent.set("app/app.1/limit", "30")
        guard let register = try await parent.ended(next).payload.as(Edit.self)?.registers.first else { return }
        #expect(abs(register.modified.wall - Self.now) < 2 * 3_600_000)
        #expect(try await parent.api.ask(Endpoints.getCommand, next).status == .executed)
        #expect(try await emma.apps().contains { $0.appID.text == "app.1" && $0.limit == "30" })
        let reading = try await clock(parent)
        #expect(abs(reading - Self.now) < 2 * 3_600_000)
        // What it has set itself is as it was.
        let values = try parent.read {
          try String.fetchAll($0, sql: "SELECT DISTINCT value FROM register WHERE key LIKE 'app/%/blocked'")
        }
        #expect(values == ["yes"])
      }
    }

    @Test(
      "A receipt for the family's rules that is altered in the child's queue does not change the parent's rules",
      arguments: [Int64.max, farAhead, -1])
    func waitingReceipt(wall: Int64) async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, emma, _) = try await family(lab)
        let id = try await parent.set("points/minutesPerPoint", "5")
        let before = try await kept(parent)
        try await emma.start(crashPoint: "delivery.committed")
        _ = await emma.wait()
        let altered = try emma.alterReceipts { receipt in
          var receipt = receipt
          receipt.outcome = .executed(
            Self.held(
              Register(
                .family, "points/minutesPerPoint", "9",
                modified: HybridTimestamp(wall: wall, counter: 0, author: Self.stranger))))
          return receipt
        }
        #expect(altered == 1)
        try await emma.start()
        #expect(try await parent.ended(id).status == .failed)
        #expect(try await kept(parent) == before)
        let warnings = try await parent.api.ask(Endpoints.getStatus).warnings.filter { $0.contains("“Emma's PC”") }
        #expect(warnings.contains { $0.contains("did not take") } == (wall != Self.farAhead), "\(warnings)")
        // A new edit wins, whatever the child claimed.
        let next = try await parent.set("points/minutesPerPoint", "6")
        #expect(try await parent.ended(next).status == .executed)
        #expect(try await emma.api.ask(Endpoints.getSettings).settings.values["minutesPerPoint"] == .number(6))
        #expect(try await parent.api.ask(Endpoints.getSettings).settings.values["minutesPerPoint"] == .number(6))
        let reading = try await clock(parent)
        #expect(abs(reading - Self.now) < 3_600_000)
      }
    }

    @Test("Forged usage, losses, commands and keys of a child change nothing of the parent or of another child")
    func items() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, emma, tom) = try await family(lab)
        let before = try await kept(parent)
        let own = try await parent.api.ask(Endpoints.getStatus).deviceID
        let (emmaID, tomID) = try await ids(parent)
        let tomsRecord = try #require(before.usageOfTom.first)

        func usage(_ change: (inout UsageRecord) -> Void) throws {
          var record = tomsRecord
          record.device = emmaID
          record.recordID = try #require(RecordID(bytes: SecureRandom.bytes(16)))
          record.appID = try #require(AppID("emmas.app"))
          change(&record)
          try emma.forge(.usage, .usageRecord, id: record.recordID.bytes, body: Self.coding.encode(record))
        }
        func loss(_ device: DeviceID, _ change: (inout UsageLoss) -> Void) throws {
          var loss = UsageLoss(
            lossID: try #require(RecordID(bytes: SecureRandom.bytes(16))), device: device, records: 1, sessions: 1,
            activeMilliseconds: 60_000, earnedMilliPoints: 0, firstStart: 1, lastEnd: 2)
          change(&loss)
          try emma.forge(.usage, .usageLoss, id: loss.lossID.bytes, body: Self.coding.encode(loss))
        }
        // Taken, as Emma's own word on Emma's machine: of the end of time, and under the ID of
        // Tom's record.
        try usage { ($0.sessionStart, $0.sessionEnd) = (Self.farAhead, Self.farAhead) }
        try usage { $0.recordID = tomsRecord.recordID }
        // Not taken: of other devices, and beyond what a record can be.
        try usage { $0.device = tomID }
        try usage { ($0.device, $0.recordID) = (tomID, tomsRecord.recordID) }
        try usage { $0.device = own }
        try usage { $0.sessionStart = -1 }
        try usage { $0.sessionEnd = $0.sessionStart - 1 }
        try usage { $0.sessionEnd = Self.farAhead + 1 }
        try usage { $0.activeMilliseconds = .max }
        try usage { $0.activeMilliseconds = -1 }
        try usage { $0.earnedMilliPoints = -1 }
        try usage { $0.milliPointsPerMinute = 1_000_000_001 }
        try usage { $0.sessions = UsageRecord.mostSessions + 1 }
        try usage { $0.zone = "" }
        try usage { $0.displayName = "" }
        try loss(tomID) { _ in }
        try loss(emmaID) { $0.activeMilliseconds = .max }
        try loss(emmaID) { $0.records = UsageRecord.mostSessions + 1 }
        try loss(emmaID) { $0.firstStart = 3 }
        try loss(emmaID) { $0.earnedMilliPoints = -1 }
        for kind in [ItemKind.usageRecord, .usageLoss, .command, ItemKind(rawValue: 4_711)] {
          try emma.forge(.usage, kind, id: SecureRandom.bytes(16), body: [0xFF, 0xFF])
        }
        // A receipt for a command that was never issued, and one under the ID of Tom's command.
        let wild = CommandReceipt.Outcome.executed(Self.held(Self.wild))
        let toms = try #require(try await parent.api.ask(Endpoints.getCommands, ("Tom's PC", 1)).first).commandID
        for id in [toms, CommandID(milliseconds: 1, random: SecureRandom.bytes(10))] {
          let body = Self.coding.encode(CommandReceipt(commandID: id, outcome: wild, at: 0))
          try emma.forge(.receipt, .receipt, id: id.bytes, body: body)
        }
        // A command to the parent, and new keys for it.
        let id = CommandID(milliseconds: Self.now, random: SecureRandom.bytes(10))
        try emma.forge(
          .command, .command, id: id.bytes,
          body: Self.coding.encode(
            CommandBody(
              commandID: id, author: emmaID, createdAt: 0, payload: CommandPayload(Edit([Self.wild])))))
        try emma.forge(
          .control, .keyRotation, id: SecureRandom.bytes(16),
          body: Self.coding.encode(
            KeyRotation(
              generation: .max, discoveryKey: SecureRandom.bytes(32), pairwiseKey: SecureRandom.bytes(32),
              replaces: SecureRandom.bytes(8))))

        try await emma.start()
        try await eventually("the parent has taken what it takes") { try await emma.hasNothingWaiting() }
        #expect(try await kept(parent) == before)
        let taken = try await parent.usage().filter { $0.appID.text == "emmas.app" }
        #expect(taken.count == 2 && taken.allSatisfy { $0.device == emmaID })
        #expect(try await parent.api.ask(Endpoints.getCommand, toms.description).status == .executed)
        let warnings = try await parent.api.ask(Endpoints.getStatus).warnings
        let words = try #require(warnings.first { $0.contains("“Emma's PC” sent") })
        #expect(
          words.contains(" items that this machine did not take") && words.contains("Update Latchkey"), "\(words)")
        #expect(!warnings.contains { $0.contains("Tom's PC") }, "\(warnings)")
        #expect(try await parent.paired().count == 2)
        // Both children are served as before.
        for name in ["Emma's PC", "Tom's PC"] {
          let id = try await parent.set("app/every.app/limit", "5", on: name)
          #expect(try await parent.ended(id).status == .executed)
        }
        #expect(try await tom.api.ask(Endpoints.getSettings).settings.values["minutesPerPoint"] == .number(7))
        let reading = try await clock(parent)
        #expect(abs(reading - Self.now) < 3_600_000)
      }
    }

    @Test("An unsigned removal ends the session and removes no device, and the parent states the reason")
    func removal() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, emma, _) = try await family(lab)
        let before = try await kept(parent)
        try emma.forge(.control, .removal, id: SecureRandom.bytes(16), body: SecureRandom.bytes(66))
        try await emma.start()
        try await eventually("the parent says what is wrong") {
          try await parent.api.ask(Endpoints.getDevices).contains {
            $0.lastError?.contains("a removal that its sender did not sign") == true
          }
        }
        #expect(try await kept(parent) == before)
        #expect(try await parent.paired().count == 2)
      }
    }

    /// The IDs of Emma's and Tom's machines.
    private func ids(_ parent: NodeProcess) async throws -> (emma: DeviceID, tom: DeviceID) {
      let devices = try await parent.paired()
      let emma = try #require(devices.first { $0.name.text == "Emma's PC" })
      let tom = try #require(devices.first { $0.name.text == "Tom's PC" })
      return (emma.deviceID, tom.deviceID)
    }
  }
}
