import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// Items that a node does not take: no queue stops for them, and none of them vanishes without a
  /// word.
  @Suite struct RefusedItemTests {
    /// Puts another body in the place of each item of a class that waits at a node which is
    /// stopped.
    private func alter(
      _ node: NodeProcess, _ streamClass: StreamClass, _ change: ([UInt8]) throws -> [UInt8]
    ) throws {
      try node.edit { database in
        let rows = try Row.fetchAll(
          database, sql: "SELECT seq, body FROM outbox_item WHERE class = ?", arguments: [Int64(streamClass.rawValue)])
        #expect(!rows.isEmpty, "something waits")
        for row in rows {
          let body = try change([UInt8](row["body"] as Data))
          try database.execute(
            sql: "UPDATE outbox_item SET body = ? WHERE class = ? AND seq = ?",
            arguments: [Data(body), Int64(streamClass.rawValue), row["seq"] as Int64])
        }
        try database.execute(
          sql: """
            UPDATE outbox_stream SET waiting_bytes =
              (SELECT coalesce(SUM(length(body) + length(item_id) + 16), 0) FROM outbox_item i
               WHERE i.peer = outbox_stream.peer AND i.class = outbox_stream.class)
            """)
      }
    }

    @Test("A message with a character such as U+0000 is refused by the local API with a sentence, and not stored")
    func localAPI() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        for text in ["Dinner\0 is ready", "\u{1B}[2J", "a\u{202E}b", ""] {
          do {
            _ = try await parent.issue(.message(text), to: "Emma's PC")
            Issue.record("\(Array(text.utf8)) was taken")
          } catch let error as LocalAPIError {
            #expect(error.code == .invalid && error.message.hasPrefix("A message "), "\(error)")
          }
        }
        do {
          _ = try await parent.set("app/a.b/name", "Chess\0")
          Issue.record("the name was taken")
        } catch let error as LocalAPIError {
          #expect(error.code == .invalid && error.message.contains("U+0000"), "\(error)")
        }
        #expect(try await parent.api.ask(Endpoints.getCommands, (nil, 100)).isEmpty)
        let taken = try await parent.issue(.message("Dinner\nis ready 🦉"), to: "Emma's PC")
        #expect(try await parent.ended(taken).status == .executed)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["Dinner\nis ready 🦉"])
        let line = try await parent.latchkey("message", "send", "a\u{1B}b", "--on", "Emma's PC")
        #expect(line.status == 64 && line.talk.contains("U+001B"), "\(line)")
      }
    }

    @Test(
      "A record that the parent refuses is marked on the child, does not block the queue, and is reported over restarts"
    )
    func record() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await parent.terminate()
        _ = try await child.latchkey("usage", "track", "--app", "a.b", "--", "/bin/true")
        try await eventually("the record waits") { try await child.hasNothingWaiting() == false }
        _ = await child.terminate()
        let coding = MessageBodyCoding()
        try alter(child, .usage) { body in
          var record = try coding.usageRecord(body)
          record.displayName = "Chess\0"
          return coding.encode(record)
        }
        try await child.start()
        try await parent.start()
        try await eventually("the child knows of the refusal") {
          try await child.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("refused an item") }
        }
        let warnings = try await child.api.ask(Endpoints.getStatus).warnings
        #expect(
          warnings.contains { $0.contains("“Kitchen laptop”") && $0.contains("1 record of use, which cannot be read") },
          "\(warnings)")
        let refused = try #require(try await child.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.first)
        #expect(refused.refusedBy?.map(\.text) == ["Kitchen laptop"])
        let listed = try await child.latchkey("usage", "list")
        #expect(listed.talk.contains("Refused by “Kitchen laptop”"), "\(listed)")

        _ = try await child.latchkey("usage", "track", "--app", "c.d", "--", "/bin/true")
        try await parent.eventuallyHasUsage(1)
        #expect(try await parent.usage().map(\.appID.text) == ["c.d"])
        try await eventually("nothing waits") {
          let isDone = try await child.hasNothingWaiting()
          return try await parent.hasNothingWaiting() && isDone
        }
        for node in [parent, child] { try await node.restart() }
        #expect(try await child.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("refused an item") })
        #expect(try await child.usage().count == 2)
      }
    }

    @Test("A command whose receipt the parent refuses fails with a next step, and the child is told")
    func receipt() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await child.terminate()
        let id = try await parent.issue(.message("hello"), to: "Emma's PC")
        try await child.start(crashPoint: "delivery.committed")
        _ = await child.wait()
        let coding = MessageBodyCoding()
        try alter(child, .receipt) { body in
          let id = try coding.receipt(body).commandID
          // Field 3, the reason, with a text that no writer of ours gives.
          return [0x0A, 16] + id.bytes + [0x10, 2, 0x1A, 3] + Array("a\0b".utf8)
        }
        try await child.start()
        let command = try await parent.ended(id)
        #expect(command.status == .failed, "\(command)")
        #expect(command.reason?.contains("give the command again") == true, "\(command)")
        try await eventually("the child knows of the refusal") {
          try await child.api.ask(Endpoints.getStatus).warnings.contains { $0.contains("1 answer to a command") }
        }
        let again = try await parent.issue(.message("hello again"), to: "Emma's PC")
        #expect(try await parent.ended(again).status == .executed)
      }
    }
  }
}
