import Foundation
import GRDB
import Glibc
import LatchkeyControl
import LatchkeyModel
import Testing

extension ProcessTests {
  /// The agent of an ordinary user: it closes what the rules close, of this user's programs, and says that it is no more.
  @Suite struct AgentTests {
    @Test("A blocked program is closed: also as a copy, under another name, by the loader, and by a script's arguments")
    func blocked() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let script = lab.newPath() + "-lk-game-1.py"
        try Data("import time\nwhile True: time.sleep(600)\n".utf8).write(to: URL(fileURLWithPath: script))
        try await home.set([
          ("app/kart/name", "Kart"),
          ("app/kart/matchers", "sha256 \(try await home.digest())\nargument \(script)\npath \(home.game)"),
          ("app/kart/blocked", "yes"),
        ])
        let (copy, link, hard) = (lab.newPath() + "-homework", lab.newPath() + "-link", lab.newPath() + "-hard")
        try FileManager.default.copyItem(atPath: home.game, toPath: copy)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.game)
        try FileManager.default.linkItem(atPath: home.game, toPath: hard)
        var attempts = [[home.game], [copy], [link], [hard], ["/usr/bin/python3", script]]
        let loader = "/lib64/ld-linux-x86-64.so.2"
        if FileManager.default.fileExists(atPath: loader) { attempts += [[loader, home.game], [loader, copy]] }
        let harmless = try home.play(["/bin/sleep"])
        for words in attempts {
          #expect(try await home.play(words).wait() == .signalled(SIGKILL), "\(words)")
        }
        // A program that was deleted runs on, and is what it was.
        let deleted = lab.newPath() + "-deleted"
        try FileManager.default.copyItem(atPath: home.game, toPath: deleted)
        let gone = try home.play([deleted])
        try FileManager.default.removeItem(atPath: deleted)
        #expect(await gone.wait() == .signalled(SIGKILL))
        #expect(harmless.isRunning, "Nothing else is touched.")

        try await eventually("the node says what was closed and why") { home.pc.log.contains("Kart is blocked") }
        let status = try await home.pc.latchkey("status")
        let words = status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("for the programs of Latchkey's own account only"), "\(status)")
        #expect(try await home.mum.usage().isEmpty, "What was blocked was not used.")
        let explained = try await home.pc.api.ownToday(caller: nil)
        #expect(explained.enforcement == .ownPrograms)
        let command = try await home.outcome(of: [("app/kart/name", "Kart 2")])
        #expect(command.stateInForce?.enforcement == .ownPrograms, "\(command)")
      }
    }

    @Test("A blocked program of many megabytes is closed by its content, beside one that takes longest to read")
    func large() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let (huge, copy) = (lab.newPath() + "-huge", lab.newPath() + "-homework")
        try home.copy(to: huge)
        // What follows the program takes up no room on the disk.
        try #require(truncate(huge, 512 << 20) == 0)
        try #require(truncate(home.game, 9 << 20) == 0)
        try FileManager.default.copyItem(atPath: home.game, toPath: copy)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "sha256 \(try await home.digest())"),
          ("app/kart/blocked", "yes"),
        ])
        let harmless = try home.play([huge])
        for words in [[home.game], [copy]] {
          #expect(try await home.play(words).wait() == .signalled(SIGKILL), "\(words)")
        }
        #expect(harmless.isRunning)
      }
    }

    @Test("A blocked program is closed in a session of its own, without a parent process, and while it is stopped")
    func detached() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)")])
        // Its parent process has ended, as with a program that a timer starts. The file says which process it is.
        let file = lab.newPath()
        let script = "setsid \"$0\" 600 </dev/null >/dev/null 2>&1 & echo $! > \(file).new; mv \(file).new \(file)"
        #expect(try await home.play(["/bin/sh", "-c", script, home.game]).wait() == .exited(0))
        let detached = try #require(pid_t(ProcessLab.read(file).trimmingCharacters(in: .whitespacesAndNewlines)))
        defer { kill(detached, SIGKILL) }
        let stopped = try home.play()
        try await eventually("both are seen to run") {
          try home.pc.read { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") == 2
          }
        }
        stopped.signal(SIGSTOP)
        try await home.set([("app/kart/blocked", "yes")])
        #expect(await stopped.wait() == .signalled(SIGKILL), "It cannot be asked to end while it is stopped.")
        try await eventually("the other one is closed") {
          let words = ProcessLab.read("/proc/\(detached)/cmdline")
          return !words.contains(home.game)
        }
      }
    }

    @Test("A limit runs out and closes the program, whose use is recorded; granted time lets it go on")
    func limit() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let other = lab.newPath() + "-other"
        try home.copy(to: other)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("app/kart/limit", "1"),
          ("app/other/matchers", "path \(other)"), ("app/other/blocked", "yes"),
        ])
        let game = try home.play()
        for node in [home.pc, home.mum] {
          try await eventually("it is seen to run on \(node.name)") {
            try await node.api.today(ofChild: "Emma").running.map(\.displayName) == ["Kart"]
          }
        }
        #expect(await game.wait() == .signalled(SIGTERM), "It may save its work.")
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.evidence == .observed && record.account == geteuid() && record.appID.text == "kart", "\(record)")
        #expect(record.activeMilliseconds >= 55_000, "\(record)")
        #expect(try await home.play().wait() == .signalled(SIGKILL), "There is no time left for another one.")

        let granted = try await home.mum.latchkey("grant", "30m", "--for", "kart", "--wait")
        #expect(granted.status == 0, "\(granted)")
        let again = try await home.survivor()
        #expect(try await home.play([other]).wait() == .signalled(SIGKILL), "The agent has looked meanwhile.")
        #expect(again.isRunning)
      }
    }

    @Test("Unknown programs are recorded together as rewards where a family chose that, and have no other rules")
    func unknownPrograms() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        // What runs beside the test is unknown as well, and goes on: nothing limits rewards here.
        try await home.set([("mode", "limits"), ("unknownPrograms", "reward")])
        let game = try home.play()
        try await eventually("it is recorded") {
          try home.pc.read { database in
            try Int.fetchOne(
              database,
              sql: """
                SELECT COUNT(*) FROM open_session_process p JOIN open_session s ON s.record_id = p.record_id
                WHERE p.process_id = ? AND s.app_id = 'latchkey.unknown' AND s.category = 'reward'
                """, arguments: [game.pid]) == 1
          }
        }
        for node in [home.pc, home.mum] {
          try await eventually("\(node.name) shows it in words, as reward and as screen time") {
            let today = try await node.api.today(ofChild: "Emma")
            let unknown = today.apps.first { $0.displayName == "Unknown programs" }
            return unknown?.category == .reward && (unknown?.usedMilliseconds ?? 0) > 0
              && today.running.contains { $0.displayName == "Unknown programs" } && today.usedMilliseconds > 0
          }
        }
        let refused = try await home.mum.latchkey(
          "app", "set", "latchkey.unknown", "--category", "learning", "--child", "Emma")
        #expect(refused.status != 0 && refused.talk.contains("--unknown-programs"), "\(refused)")
        // An agent of this user leaves alone what merely counts, so that its use ends here.
        try await home.set([("unknownPrograms", "count")])
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.appID == .unknownPrograms && record.category == .reward, "\(record)")
        #expect(game.isRunning)
      }
    }

    @Test("An agent that is killed in the middle of closing is replaced, and the program is closed all the same")
    func killedAgent() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)")])
        // It ignores that it is asked to end.
        let game = try home.play(["/bin/sh", "-c", "trap '' TERM; exec \"$0\" 600", home.game], seconds: [])
        try await eventually("it is seen to run") { try await home.pc.api.status().running.count == 1 }
        try await home.set([("app/kart/blocked", "yes")])
        try await eventually("it was asked to end") { home.pc.log.contains("how=asked") }
        let first = try #require(home.agent)
        kill(first, SIGKILL)
        #expect(await game.wait() == .signalled(SIGKILL))
        try await eventually("another agent runs") { home.agent.map { $0 != first } ?? false }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await home.mum.eventuallyHasUsage(1)
        #expect(try await home.mum.usage().count == 1, "Nothing is counted twice.")
      }
    }

    @Test("While the node is dead, the agent goes on by its last orders; what was used meanwhile is recorded once")
    func killedNode() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let other = lab.newPath() + "-other"
        try home.copy(to: other)
        try await home.set([
          ("app/kart/matchers", "path \(home.game)"), ("app/other/matchers", "path \(other)"),
          ("app/other/blocked", "yes"),
        ])
        let (ends, stays) = (try home.play(), try home.play())
        try await eventually("they are seen") {
          try await home.pc.api.status().running.count == 1
            && home.pc.read { database in
              try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") == 2
            }
        }
        let agent = try #require(home.agent)
        await home.pc.kill()
        #expect(try await home.play([other]).wait() == .signalled(SIGKILL))
        ends.signal(SIGKILL)
        _ = await ends.wait()
        let meanwhile = try home.play()
        // It has been seen when the next one is.
        #expect(try await home.play([other]).wait() == .signalled(SIGKILL))
        stays.signal(SIGKILL)
        _ = await stays.wait()
        try await home.pc.start()
        #expect(home.agent == agent, "It was found again.")
        try await eventually("what runs is known") {
          try home.pc.read { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM open_session_process") == 1
          }
        }
        meanwhile.signal(SIGKILL)
        _ = await meanwhile.wait()
        try await home.mum.eventuallyHasUsage(1)
        try await eventually("nothing runs") { try await home.pc.api.status().running.isEmpty }
        let records = try await home.mum.usage()
        #expect(
          records.count == 1 && records.allSatisfy { $0.evidence == .observed },
          "One session, without a gap: \(records)")

        // A node that is stopped on purpose takes its agent along.
        #expect(await home.pc.terminate() == .exited(0))
        try await eventually("the agent has ended") { home.agent == nil }
      }
    }

    @Test("A receipt says that a rule is enforced once the agent says so, also over the death of the node")
    func receipts() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)"), ("app/kart/blocked", "yes")])
        let first = try home.play()
        #expect(await first.wait() == .signalled(SIGKILL))

        // An agent that stands still enforces nothing, whatever it said before.
        let agent = try #require(home.agent)
        kill(agent, SIGSTOP)
        #expect(try await home.outcome(of: [("app/kart/name", "Kart")]).stateInForce?.enforcement == .recorded)
        kill(agent, SIGCONT)
        #expect(try await home.outcome(of: [("app/kart/name", "Karts")]).stateInForce?.enforcement == .ownPrograms)

        // The node dies while an edit waits for the agent: the next one asks again, and answers once.
        kill(agent, SIGSTOP)
        var waiting: ConfigurationCommand?
        for number in 1...20 where waiting == nil {
          let name = RuleRequest([.init("app/kart/name", "Kart \(number)")])
          let set = try await home.mum.api.setRules(ofChild: "Emma", name)
          let id = try #require(set.commands.last?.commandID.description)
          try await eventually("it waits for the agent, or has waited") {
            let command = try await home.mum.api.command(id: id)
            if command.waitsFor == "the agent" { waiting = command }
            return waiting != nil || command.status.isFinal
          }
          await home.pc.kill()
          let isPending = try home.pc.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pending_effect") == 1 }
          if !isPending {
            waiting = nil
            try await home.pc.start()
          }
        }
        kill(agent, SIGCONT)
        try await home.pc.start()
        let command = try await home.mum.ended(try #require(waiting).commandID.description)
        #expect(command.status == .executed && command.stateInForce?.enforcement == .ownPrograms, "\(command)")
        #expect(home.agent == agent)
      }
    }

    @Test("A program of `usage track` is closed by the rules of its application, which has no matchers")
    func tracked() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let names = try await home.outcome(of: [("app/kart/name", "Kart"), ("app/other/name", "Other")])
        #expect(names.stateInForce?.enforcement == .recorded, "Nothing recognizes them so far.")
        try await eventually("the parent knows that nothing recognizes them") {
          try await home.mum.api.conditions().count { $0.condition.name == "rule-unrecognized" } == 2
        }
        let track = ["usage", "track", "--app"]
        let game = try home.pc.launch(track + ["kart", "--", home.game, "600"])
        let other = try home.pc.launch(track + ["other", "--", home.game, "600"])
        try await eventually("both run") { try await home.pc.api.status().running.count == 2 }
        try await home.set([("app/kart/blocked", "yes")])
        #expect(await game.process.wait() == .exited(128 + SIGTERM), "It may save its work.")
        #expect(other.process.isRunning, "The same program, recorded as another application, goes on.")
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.appID.text == "kart" && record.evidence == .tracked, "Counted once: \(record)")
        // What is blocked already does not get far.
        let again = try await home.pc.latchkey("usage", "track", "--app", "kart", "--", home.game, "600")
        #expect([128 + SIGTERM, 128 + SIGKILL].contains(again.status), "\(again)")
        #expect(again.talk.contains("is closed"), "\(again)")
        // It passes the signal on; killed, it would leave its game behind.
        other.process.signal(SIGTERM)
        #expect(await other.process.wait() == .exited(128 + SIGTERM))
      }
    }

    @Test("What an agent cannot do is told where the parent is; what the system needs is refused at once")
    func refused() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let rules = [("app/shell/matchers", "path /usr/bin/gnome-shell"), ("app/shell/blocked", "yes")]
        do {
          let outcome = try await home.outcome(of: rules)
          Issue.record("It was taken: \(outcome)")
        } catch {
          #expect("\(error)".contains("“/usr/bin/gnome-shell” is a program that the system needs"), "\(error)")
        }

        func receipt(_ rules: [(String, String?)]) async throws -> String {
          let outcome = try await home.outcome(of: rules)
          return try #require(outcome.stateInForce).summary
        }
        let sessions = try await receipt([("sessions", "close"), ("app/kart/matchers", "path \(home.game)")])
        #expect(
          sessions.hasPrefix("In force there") && sessions.contains("Sessions cannot be closed there"),
          "\(sessions)")
        let paused = try await receipt([("app/kart/step", "pause")])
        #expect(paused.hasSuffix("Programs cannot be paused there and are closed instead."), "\(paused)")
        let other = try await receipt([("app/kart/name", "Kart")])
        #expect(!other.contains("annot"), "It is about neither: \(other)")
        try await eventually("the parent knows that sessions cannot be closed there") {
          try await home.mum.api.conditions().contains { $0.condition.name == "cannot-close-sessions" }
        }
        let doctor = try await home.mum.latchkey("doctor")
        #expect(
          doctor.output.contains("Sessions cannot be closed on “Emma's PC”, so programs are closed one by one"),
          "\(doctor)")
        try await home.set([("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await home.set([("sessions", nil)])
        try await eventually("the parent knows that it is over") {
          try await !home.mum.api.conditions().contains { $0.condition.name == "cannot-close-sessions" }
        }
      }
    }

    @Test("Where unknown programs are blocked, Latchkey's own commands run, although anybody can change their file")
    func ownCommands() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let folder = lab.newPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in ["latchkey", "latchkey-agent"] {
          try FileManager.default.copyItem(atPath: BuiltProgram.path(of: name), toPath: "\(folder)/\(name)")
        }
        #expect(await home.pc.terminate() == .exited(0))
        await home.pc.use(program: folder + "/latchkey")
        try await home.pc.start()
        try await eventually("its agent has orders") {
          try await home.pc.api.ownToday(caller: nil).enforcement == .ownPrograms
        }
        try await home.set([("unknownPrograms", "block")])
        let unknown = try home.play()
        #expect(await unknown.wait() == .signalled(SIGKILL))
        for _ in 0..<24 {
          let result = try await lab.run(folder + "/latchkey", ["me", "--state-dir", home.pc.folder])
          #expect(result.status == 0, "\(result)")
        }
      }
    }

    @Test("Orders that cannot be written hold and are told, until they can be written")
    func unwritten() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)")])
        let obstacle = home.pc.folder + "/agent.orders.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        func tells() async throws -> Bool {
          try await home.mum.api.conditions().contains { $0.condition.name == "orders-not-kept" }
        }
        let summary = try await home.outcome(of: [("app/kart/blocked", "yes")]).stateInForce?.summary
        #expect(summary?.contains("hold until the agent is started again") == true, "\(summary ?? "nothing")")
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("the parent is told") { try await tells() }
        try FileManager.default.removeItem(atPath: obstacle)
        try await eventually("the parent knows that it is over") { try await !tells() }
        let agent = try #require(home.agent)
        await home.pc.kill()
        kill(agent, SIGKILL)
        try await home.pc.start()
        #expect(try await home.play().wait() == .signalled(SIGKILL))
      }
    }

    @Test("Damaged orders are told, and the last good ones hold; an agent ends when its folder is gone")
    func damagedOrders() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/matchers", "path \(home.game)"), ("app/kart/blocked", "yes")])
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        // Orders that differ, so that those with the block are kept as the last ones.
        try await home.set([("app/kart/name", "Kart"), ("app/kart/category", "reward")])
        try await eventually("they are kept") {
          FileManager.default.fileExists(atPath: home.pc.folder + "/agent.orders.last")
        }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        await home.pc.kill()
        let agent = try #require(home.agent)
        kill(agent, SIGKILL)
        try await eventually("it is gone") { home.agent == nil }
        try Data("LKORDERS and then nothing of use".utf8).write(
          to: URL(fileURLWithPath: home.pc.folder + "/agent.orders"))
        try await home.pc.start()
        try await eventually("the damage is told") {
          try await home.pc.api.status().warnings.contains { $0.contains("orders were damaged") }
        }
        #expect(try await home.play().wait() == .signalled(SIGKILL))
        try await eventually("the parent is told, too") {
          try await home.mum.api.conditions().contains { $0.condition.name == "orders-damaged" }
        }
        await home.pc.kill()
        let last = try #require(home.agent)
        try FileManager.default.removeItem(atPath: home.pc.folder)
        try await eventually("it has ended") { kill(last, 0) != 0 || home.agent == nil }
      }
    }
  }
}
