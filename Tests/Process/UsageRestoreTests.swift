import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Tests of sessions on a child that is restored from a backup within one boot.
  @Suite struct UsageRestoreTests {
    private func record(_ count: Int, on child: NodeProcess) async throws -> [RecordID] {
      let programs = try (0..<count).map { _ in try UsedProgram() }
      var ids: [RecordID] = []
      for (number, program) in programs.enumerated() {
        ids.append(try await child.api.ask(Endpoints.startUsage, program.request("app.\(number)")).recordID)
      }
      for program in programs { await program.end() }
      for id in ids { _ = try await child.api.ask(Endpoints.endUsage, id.description) }
      return ids
    }

    private func isOpen(_ id: RecordID, on child: NodeProcess) async throws -> Bool {
      try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.contains {
        $0.isOpen && $0.record.recordID == id
      }
    }

    @Test(
      "A child restored repeatedly within one boot assigns no ID twice, and ends no session by an older one's ID")
    func restored() async throws {
      let rounds = 2
      let batch = Length.pick(20, thorough: 60)
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        var ids = try await record(batch, on: child)
        // A session that is open in the backup, and has long ended when it is put back.
        let early = try UsedProgram()
        let open = try await child.api.ask(Endpoints.startUsage, early.request("open.in.the.backup")).recordID
        #expect(await child.terminate() == .exited(0))
        let backup = lab.newPath()
        try FileManager.default.copyItem(atPath: child.folder, toPath: backup)
        for round in 0..<rounds {
          try await child.start()
          let lost = try await record(batch, on: child)
          if round == 0 {
            await early.end()
            _ = try await child.api.ask(Endpoints.endUsage, open.description)
            ids.append(open)
          }
          ids += lost
          try await parent.eventuallyHasUsage(ids.count)
          #expect(await child.terminate() == .exited(0))
          try FileManager.default.removeItem(atPath: child.folder)
          try FileManager.default.copyItem(atPath: backup, toPath: child.folder)
          try await child.start()
          // IDs that the restored database has forgotten do not end a running session.
          let program = try UsedProgram()
          let present = try await child.api.ask(Endpoints.startUsage, program.request("present")).recordID
          for id in lost {
            let error = await #expect(throws: LocalAPIError.self) {
              try await child.api.ask(Endpoints.endUsage, id.description)
            }
            #expect(error?.code == .unknownSession)
          }
          #expect(try await isOpen(present, on: child))
          await program.end()
          _ = try await child.api.ask(Endpoints.endUsage, present.description)
          ids.append(present)
          #expect(await child.terminate() == .exited(0))
        }
        try await child.start()
        ids += try await record(batch, on: child)
        #expect(Set(ids).count == ids.count)
        try await parent.eventuallyHasUsage(ids.count)
        try await eventually("nothing waits") { try await child.hasNothingWaiting() }
        let there = try await parent.usage()
        #expect(there.count == ids.count && Set(there.map(\.recordID)) == Set(ids), "\(there.count) of \(ids.count)")
        // It is the record of the first end: what the backup knew of the session was less.
        let first = try #require(there.first { $0.recordID == open })
        let again = try #require(try await child.usage().first { $0.recordID == open })
        #expect(first.sessionStart == again.sessionStart && first.activeMilliseconds >= again.activeMilliseconds)
      }
    }
  }
}
