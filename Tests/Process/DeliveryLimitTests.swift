import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Tests of the limits of a queue while a machine is off, and of what a person sees.
  @Suite struct DeliveryLimitTests {
    @Test("A cancelled command stays cancelled, whichever moment the parent dies at, and the others are executed")
    func cancelledOverCrashes() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await child.terminate()
        let kept = try await parent.issue(.message("kept"), to: "Emma's PC")
        let unwanted = try await parent.issue(.message("unwanted"), to: "Emma's PC")
        await parent.kill()
        if !BuiltProgram.isForRelease {
          // Dead as soon as it is durable, before anybody is told.
          try await parent.start(crashPoint: "delivery.accepted")
          _ = try? await parent.api.ask(Endpoints.cancelCommand, unwanted)
          try await eventually("the parent is dead") { await !parent.isRunning }
        } else {
          try await parent.start()
          _ = try await parent.api.ask(Endpoints.cancelCommand, unwanted)
          await parent.kill()
        }
        try await parent.start()
        #expect(try await parent.api.ask(Endpoints.getCommand, unwanted).status == .cancelled)
        #expect(try await parent.api.ask(Endpoints.getCommand, kept).status == .queued)
        try await child.start()
        #expect(try await parent.ended(kept).status == .executed)
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["kept"])
        let queue = try await parent.latchkey("status", "--verbose")
        #expect(queue.output.contains("1 command cancelled"), "\(queue)")
      }
    }

    @Test(
      "For an absent machine every edit waits, expired commands are reported, and the rest arrives in order")
    func machineIsOff() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await child.terminate()
        for limit in 1...4 { _ = try await parent.set("app/a.b/limit", "\(limit)") }
        let brief = try await parent.latchkey(
          "message", "send", "too late", "--on", "Emma's PC", "--expires", "1s", "--verbose")
        #expect(brief.status == 0, "\(brief)")
        let lasting = try await parent.latchkey(
          "message", "send", "in time", "--on", "Emma's PC", "--expires", "never", "--verbose")
        let cancelled = try await parent.issue(.message("taken back"), to: "Emma's PC")
        #expect(try await parent.latchkey("commands", "cancel", cancelled).status == 0)
        let id = brief.output.trimmingCharacters(in: .newlines)
        // Also over a crash of the parent.
        try await parent.restart()
        let expired = try await parent.latchkey("commands", "wait", id, "--timeout", "60")
        #expect(expired.status == 65 && expired.talk.contains("expired"), "\(expired)")

        let queue = try await parent.latchkey("queue", "list", "--on", "Emma's PC")
        #expect(queue.output.contains("at most 4 min a day") && queue.output.contains("in time"), "\(queue)")
        #expect(!queue.output.contains("too late") && !queue.output.contains("taken back"), "\(queue)")
        #expect((1...4).allSatisfy { queue.output.contains("at most \($0) min a day") }, "\(queue)")
        let shown = try await parent.latchkey("queue", "show", "command", "6")
        #expect(shown.status == 0 && shown.output.contains("in time"), "\(shown)")
        for gone in [["command", "5"], ["command", "99"], ["use", "1"]] {
          let none = try await parent.latchkey(["queue", "show"] + gone)
          #expect(none.status == 67 && none.talkLines.count == 1, "\(none)")
        }
        let status = try await parent.latchkey("status", "--verbose")
        for words in ["1 command expired", "1 command cancelled"] {
          #expect(status.output.contains(words), "\(status.output)")
        }
        let vain = try await parent.latchkey("sync", "now", "--wait", "1")
        #expect(vain.status == 75 && vain.talk.contains("not in step"), "\(vain)")

        try await child.start()
        let inStep = try await parent.latchkey("sync", "now", "--wait", "60", "--on", "Emma's PC")
        #expect(inStep.status == 0 && inStep.output.contains("up to date"), "\(inStep)")
        #expect(
          try await parent.ended(lasting.output.trimmingCharacters(in: .newlines)).status == .executed)
        #expect(try await child.apps().map(\.limit) == ["4"])
        #expect(try await parent.latchkey("queue", "list").output == "Nothing waits.\n")
        let retry = try await parent.latchkey("queue", "retry")
        #expect(retry.status == 0 && retry.output.contains("connected"), "\(retry)")
        let message = try #require(try await child.api.ask(Endpoints.getStatus).messages.first)
        #expect(message.text == "in time" && !message.isRead)
        #expect(try await child.latchkey("status").output.contains("in time"))
        // The mark as read survives a crash.
        let read = try await child.api.ask(Endpoints.markMessageRead, message.commandID.description)
        #expect(read.isRead && read.commandID == message.commandID)
        try await child.restart()
        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.isRead) == [true])
        #expect(try await !child.latchkey("status").output.contains("in time"))
        #expect(try await child.latchkey("messages").output.contains("in time"))
      }
    }

    @Test("Invalid spans, classes and limits are each refused with a sentence")
    func wrongInput() async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        for span in ["0s", "tomorrow", "400d", "-1h", "1", ""] {
          let refused = try await parent.latchkey("message", "send", "x", "--on", "Emma's PC", "--expires", span)
          #expect(refused.status == 64 && refused.output.isEmpty, "\(span): \(refused)")
        }
        await #expect(throws: LocalAPIError.self) {
          _ = try await parent.api.ask(
            Endpoints.issue, CommandRequest(device: "Emma's PC", action: .requestReport, expiresAfter: 999))
        }
        for arguments in [
          ["queue", "list", "--kind", "other"], ["queue", "show", "command"], ["sync", "now", "--wait", "0"],
        ] {
          let refused = try await parent.latchkey(arguments)
          #expect(refused.status == 64, "\(arguments): \(refused)")
        }
        #expect(try await parent.latchkey("queue", "list", "--on", "nobody").status == 67)
        #expect(try await parent.api.ask(Endpoints.getCommands, (nil, 9)).isEmpty)
        #expect(try await child.latchkey("run", "--queue-items", "3").status == 64)
      }
    }

    @Test("A child whose usage queue is full sends exact totals, and loses nothing while they fit")
    func usageOverTheCap() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (parent, child) = try await lab.pairedFamily()
        _ = await parent.terminate()
        _ = await child.terminate()
        try await child.start(NodeProcess.quiet + ["--queue-items", "16"])
        for _ in 0..<32 {
          let program = try UsedProgram()
          let begun = try await child.api.ask(Endpoints.startUsage, program.request("a.b"))
          await program.end()
          _ = try await child.api.ask(Endpoints.endUsage, begun.recordID.description)
        }
        let queue = try #require(
          try await child.api.ask(Endpoints.getDevices).first?.queues.first { $0.streamClass == .usage })
        #expect(queue.waitingItems <= 16)
        #expect(queue.undelivered.map(\.fate) == [.merged], "\(queue)")
        try await parent.start()
        try await eventually("all is delivered") {
          guard try await parent.isConnected() else { return false }
          return try await child.hasNothingWaiting()
        }
        let there = try await parent.usage()
        #expect(there.reduce(0) { $0 + $1.sessions } == 32)
        let here = try await child.usage()
        let sums = [there, here].map { $0.reduce(0) { $0 + $1.activeMilliseconds } }
        #expect(sums[0] == sums[1], "\(sums)")
        #expect(there.count < 32)
        #expect(here.count == 32)
        #expect(try await parent.api.ask(Endpoints.getStatus).warnings.isEmpty)
      }
    }
  }
}
