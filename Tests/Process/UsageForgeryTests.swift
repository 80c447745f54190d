import Foundation
import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// Tests of false reports by a child's user, through the local API and by altering the database.
  @Suite struct UsageForgeryTests {
    private static let hour: Int64 = 3_600_000
    private static let year: Int64 = 366 * 24 * hour

    private func refusal(_ child: NodeProcess, _ request: UsageStartRequest) async throws -> LocalAPIError? {
      let client = PlainClient(folder: child.outside)
      do {
        let _: UsageStarted = try await client.post("/v1/usage/sessions", request)
        return nil
      } catch let error as LocalAPIError { return error }
    }

    private func altered(_ program: UsedProgram, _ alter: (inout UsageStartRequest) -> Void) -> UsageStartRequest {
      var request = program.request("math")
      alter(&request)
      return request
    }

    /// A program of another user: tests run as an ordinary one, and root has some.
    private func foreignProgram() throws -> pid_t {
      let pids = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
      let foreign = pids.first { pid in
        pid > 1 && ProcessLab.read("/proc/\(pid)/status").split(separator: "\n").contains { $0.hasPrefix("Uid:\t0\t") }
      }
      return try #require(foreign, "no process of root's is seen")
    }

    @Test(
      "A session without a running program of the caller, or with a wrong time, is refused and leaves no record")
    func forged() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let (program, dead) = (try UsedProgram(), try UsedProgram())
        await dead.end()
        let foreign = try foreignProgram()
        let foreignStart = try UsedProgram.startTime(of: foreign)
        let first = try UsedProgram.startTime(of: 1)
        let forgeries: [(String, LocalAPIError.Code, UsageStartRequest)] = [
          ("an ended program", .invalid, dead.request("math")),
          ("process 1", .invalid, altered(program) { ($0.processID, $0.processStartTime) = (1, first) }),
          ("no process", .invalid, altered(program) { $0.processID = 0 }),
          ("a process group", .invalid, altered(program) { $0.processID = -$0.processID }),
          ("another start time", .invalid, altered(program) { $0.processStartTime += 1 }),
          (
            "another user's program", .forbidden,
            altered(program) { ($0.processID, $0.processStartTime) = (foreign, foreignStart) }
          ),
          ("a session older than its program", .invalid, altered(program) { $0.startedAt.milliseconds -= Self.hour }),
          ("a session from before the boot", .invalid, altered(program) { $0.startedAt.milliseconds = -1 }),
          ("a session of later", .invalid, altered(program) { $0.startedAt.milliseconds += 5_000 }),
          ("the end of time", .invalid, altered(program) { $0.startedAt.milliseconds = .max }),
          ("1970", .invalid, altered(program) { $0.startedAtWall = 0 }),
          ("before 1970", .invalid, altered(program) { $0.startedAtWall = .min }),
          ("an hour ago", .invalid, altered(program) { $0.startedAtWall -= Self.hour }),
          ("in an hour", .invalid, altered(program) { $0.startedAtWall += Self.hour }),
          ("next year", .invalid, altered(program) { $0.startedAtWall += Self.year }),
          ("no calendar's time", .invalid, altered(program) { $0.startedAtWall = .max }),
        ]
        for (name, code, request) in forgeries {
          let error = try await refusal(child, request)
          #expect(error?.code == code, "\(name): \(error.map(String.init(describing:)) ?? "accepted")")
          #expect(error?.message.contains(":") == true, "\(name) is told what to do")
        }
        #expect(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.isEmpty)
        // A correct request is accepted, and the node's own clocks are stored.
        let before = UsedProgram.milliseconds(CLOCK_REALTIME)
        let slightlyOff = altered(program) { $0.startedAtWall -= 20_000 }
        #expect(try await refusal(child, slightlyOff) == nil)
        await program.end()
        try await parent.eventuallyHasUsage(1)
        let record = try #require(try await parent.usage().first)
        #expect(record.sessionStart >= before && record.sessionEnd <= UsedProgram.milliseconds(CLOCK_REALTIME))
        #expect(try await child.usage() == [record])
      }
    }

    @Test("Two windows of one application are one session, which ends with the last window and not at a caller's word")
    func windows() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        let (one, two) = (try UsedProgram(), try UsedProgram())
        let session = try await child.api.ask(Endpoints.startUsage, one.request("chess")).recordID
        #expect(try await child.api.ask(Endpoints.startUsage, two.request("chess")).recordID == session)
        #expect(try await child.api.ask(Endpoints.startUsage, one.request("chess")).recordID == session)
        // One program is one application.
        let other = try await refusal(child, one.request("math"))
        #expect(other?.code == .invalid && other?.message.contains("chess") == true, "\(String(describing: other))")
        for window in [one, two] {
          let early = await #expect(throws: LocalAPIError.self) {
            try await child.api.ask(Endpoints.endUsage, session.description)
          }
          #expect(early?.code == .stillRunning)
          #expect(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.map(\.isOpen) == [true])
          await window.end()
        }
        // The node needs no word of it.
        try await parent.eventuallyHasUsage(1)
        #expect(try await child.api.ask(Endpoints.endUsage, session.description) == parent.usage().first)
        #expect(try await parent.usage().map(\.recordID) == [session])
        #expect(try await child.usage() == parent.usage())

        // The same over a death of the node, and in the terminal: the first window's end is no
        // trouble.
        let (three, file) = (try UsedProgram(), lab.newPath())
        let again = try await child.api.ask(Endpoints.startUsage, three.request("chess")).recordID
        #expect(again != session)
        try await child.restart()
        let tracked = try await child.latchkey(
          "usage", "track", "--app", "chess", "--", "/bin/sh", "-c", "touch \(file)")
        #expect(tracked.status == 0 && tracked.talk.contains("counts from now until the program ends"), "\(tracked)")
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(
          try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.filter(\.isOpen).map(
            \.record.recordID) == [again])
        await three.end()
        try await parent.eventuallyHasUsage(2)
        #expect(try await parent.usage().map(\.recordID) == [again, session])
      }
    }

    @Test("The number of recorded programs is limited, and places become free again")
    func manyPrograms() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let child = try await lab.runningNode(.child, "Emma's PC")
        let programs = try (0...Limits.trackedPrograms).map { _ in try UsedProgram() }
        for program in programs.dropLast() {
          _ = try await child.api.ask(Endpoints.startUsage, program.request("app.\(program.pid)"))
        }
        let last = try #require(programs.last)
        #expect(try await refusal(child, last.request("last"))?.code == .limit)
        await programs[0].end()
        try await eventually("there is room") { try await refusal(child, last.request("last")) == nil }
        for program in programs.dropFirst() { await program.end() }
        try await child.eventuallyHasUsage(programs.count)
      }
    }

    @Test("Records altered in the child's database arrive, and the parent shows which cannot be true")
    func alteredDatabase() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await parent.terminate()
        for number in 0..<7 {
          let program = try UsedProgram()
          let id = try await child.api.ask(Endpoints.startUsage, program.request("app.\(number)")).recordID
          await program.end()
          _ = try await child.api.ask(Endpoints.endUsage, id.description)
        }
        _ = await child.terminate()
        let now = UsedProgram.milliseconds(CLOCK_REALTIME)
        // From 3 to 21 o'clock UTC, three days ago.
        let morning = (now / (24 * Self.hour) - 3) * 24 * Self.hour + 3 * Self.hour
        let alterations: [(String, (inout UsageRecord) -> Void)] = [
          ("app.0", { ($0.sessionStart, $0.sessionEnd) = (now + Self.year, now + Self.year + 1_000) }),
          ("app.1", { ($0.sessionStart, $0.sessionEnd) = (0, 1_000) }),
          ("app.2", { $0.activeMilliseconds = 20 * Self.hour }),
          ("app.3", { $0.earnedMilliPoints = 1_000_000_000 }),
          ("app.4", { ($0.sessionStart, $0.sessionEnd) = (morning, morning + 18 * Self.hour) }),
          ("app.5", { ($0.sessionStart, $0.sessionEnd) = (morning, morning + 18 * Self.hour) }),
        ]
        try child.edit { database in
          let coding = MessageBodyCoding()
          let rows = try Row.fetchAll(database, sql: "SELECT seq, body FROM outbox_item WHERE class = 4 AND kind = 3")
          #expect(rows.count == 7)
          for row in rows {
            var record = try coding.usageRecord([UInt8](row["body"] as Data))
            guard let alteration = alterations.first(where: { $0.0 == record.appID.text }) else { continue }
            alteration.1(&record)
            if record.sessionStart == morning { record.activeMilliseconds = 18 * Self.hour }
            try database.execute(
              sql: "UPDATE outbox_item SET body = ? WHERE class = 4 AND seq = ?",
              arguments: [Data(coding.encode(record)), row["seq"] as Int64])
          }
        }
        try await child.start()
        try await parent.start()
        try await parent.eventuallyHasUsage(7)

        let sessions = try await parent.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions
        let doubts = Dictionary(uniqueKeysWithValues: sessions.map { ($0.record.appID.text, $0.doubt) })
        #expect(
          doubts == [
            "app.0": .future, "app.1": .past, "app.2": .overlong, "app.3": .overpaid, "app.4": nil, "app.5": nil,
            "app.6": nil,
          ])
        let list = try await parent.latchkey("usage", "list")
        for words in ["in the future", "before 2026", "more use than time", "more points than use"] {
          #expect(list.output.contains("impossible: \(words)"), "\(list)")
        }
        #expect(list.status == 0 && list.talk.contains("cannot all be true"), "\(list)")
        let json = try await parent.latchkey("usage", "list", "--format", "json")
        #expect(json.output.contains("\"doubt\" : \"future\""), "\(json)")
        // The child, whose own database was not changed there, has nothing to doubt.
        #expect(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.allSatisfy { $0.doubt == nil })
      }
    }
  }
}
