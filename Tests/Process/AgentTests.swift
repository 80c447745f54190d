import Foundation
import GRDB
import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What the agent of an ordinary user closes: this user's programs, and no others.
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
        let explained = try await home.pc.api.ask(Endpoints.getOwnToday)
        #expect(explained.enforcement == .ownPrograms)
        let command = try await home.outcome(of: [("app/kart/name", "Kart 2")])
        #expect(command.stateInForce?.enforcement == .ownPrograms, "\(command)")
      }
    }

    @Test("A lock closes what a rule names alone; the receipt says so, and explain of what runs on")
    func namedAlone() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "sha256 \(try await home.digest())")])
        let (game, other) = (try home.play([home.game]), try home.play(["/bin/sleep"]))
        let locked = try await home.outcome(of: [("lock", "on")])
        #expect(await game.wait() == .signalled(SIGTERM))
        #expect(other.isRunning)
        #expect(locked.stateInForce?.enforcement == .ownPrograms)
        let state = locked.stateInForce?.as(RegistersInForce.self)
        #expect(state?.exceptions.contains("others-left-open") == true, "\(locked)")
        let named = try await home.mum.latchkey("explain", "--app", "Kart")
        #expect(named.output.contains("not allowed") && !named.output.contains("nothing closes it"), "\(named)")
        try await eventually("the parent knows that the agent is that of one user") {
          try await home.mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "own-programs-only" }
        }
        let unnamed = try await home.mum.latchkey("explain", "--app", "org.example.sleeper")
        #expect(unnamed.output.contains("but nothing closes them"), "\(unnamed)")
        #expect(unnamed.talk.contains("No application “org.example.sleeper” was used"), "\(unnamed)")
        let here = try await home.pc.latchkey("explain", "--app", "org.example.sleeper")
        #expect(here.output.contains("but nothing closes them"), "\(here)")
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
        // Its parent process has ended, as with a program that a timer starts. The file says which
        // process it is.
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

    @Test(
      "What a script becomes, and what a launcher starts in a session of its own, is closed with it unless set apart")
    func launched() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let (script, launcher) = (lab.newPath() + "-start.sh", lab.newPath() + "-launcher.py")
        // The agent of one user looks once a second.
        try Data("#!/bin/sh\nsleep 3\nexec \(home.game) \"$@\"\n".utf8).write(to: URL(fileURLWithPath: script))
        let words = "import subprocess, sys\nsubprocess.run(['\(home.game)', *sys.argv[1:]], start_new_session=True)\n"
        try Data(words.utf8).write(to: URL(fileURLWithPath: launcher))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let probe = lab.newPath() + "-probe.sh"
        try Data("#!/bin/sh\nsleep 600\n".utf8).write(to: URL(fileURLWithPath: probe))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: probe)
        // A blocked program that is closed shows that the agent has looked at everything that began
        // before it.
        func looked() async throws {
          let closed = try home.play([probe])
          #expect(await closed.wait() == .signalled(SIGKILL))
        }
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "argument \(script)"), ("app/store/name", "Store"),
          ("app/store/matchers", "argument \(launcher)"), ("app/store/launches", "apart"),
          ("app/probe/matchers", "argument \(probe)"), ("app/probe/blocked", "yes"),
        ])
        defer { for player in home.players { kill(player, SIGKILL) } }
        let becoming = try home.play([script])
        let starting = try home.play(["/usr/bin/python3", launcher])
        try await eventually("both games run") { home.players.count == 2 }
        try await looked()
        try await home.set([("app/store/blocked", "yes")])
        _ = await starting.wait()
        try await looked()
        #expect(home.players.count == 2, "What a parent has set apart is left alone.")
        try await home.set([("app/kart/blocked", "yes")])
        #expect(await becoming.wait() == .signalled(SIGTERM))
        for player in home.players { kill(player, SIGKILL) }
        try await home.set([("app/store/launches", "counted"), ("app/store/blocked", "no")])
        let again = try home.play(["/usr/bin/python3", launcher])
        try await eventually("the launcher's game runs again") { home.players.count == 1 }
        try await looked()
        try await home.set([("app/store/blocked", "yes")])
        _ = await again.wait()
        try await eventually("what the launcher has started is closed") { home.players.isEmpty }
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
            try await node.api.ask(Endpoints.getToday, "Emma").running.map(\.displayName) == ["Kart"]
          }
        }
        #expect(await game.wait() == .signalled(SIGTERM), "It may save its work.")
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.evidence == .observed && record.account == geteuid() && record.appID.text == "kart", "\(record)")
        // Not a moment less: what is left would be enough to start it again.
        #expect(record.activeMilliseconds >= 60_000, "\(record)")
        let another = try await home.play().wait()
        #expect(another == .signalled(SIGKILL), "There is no time left for another one: \(record)")

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
            let today = try await node.api.ask(Endpoints.getToday, "Emma")
            let unknown = today.apps.first { $0.displayName == "Unknown programs" }
            return unknown?.category == .reward && (unknown?.usedMilliseconds ?? 0) > 0
              && today.running.contains { $0.displayName == "Unknown programs" } && today.usedMilliseconds > 0
          }
        }
        let refused = try await home.mum.latchkey(
          "app", "set", "latchkey.unknown", "--category", "learning", "--child", "Emma")
        #expect(refused.status != 0 && refused.talk.contains("--unknown-programs"), "\(refused)")
        // An agent of this user leaves alone what merely counts, so that its use ends here.
        let counted = try await home.outcome(of: [("unknownPrograms", "count")])
        #expect(counted.stateInForce?.enforcement == .recorded, "\(counted)")
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.appID == .unknownPrograms && record.category == .reward, "\(record)")
        #expect(game.isRunning)
      }
    }

    @Test("A program of `usage track` is closed by the rules of its application, which has no matchers")
    func tracked() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let names = try await home.outcome(of: [("app/kart/name", "Kart"), ("app/other/name", "Other")])
        #expect(names.stateInForce?.enforcement == .recorded, "Nothing recognizes them so far.")
        try await eventually("the parent knows that nothing recognizes them") {
          try await home.mum.api.ask(Endpoints.getConditions).count { $0.condition.name == "rule-unrecognized" } == 2
        }
        let track = ["usage", "track", "--app"]
        let game = try home.pc.launch(track + ["kart", "--", home.game, "600"])
        let other = try home.pc.launch(track + ["other", "--", home.game, "600"])
        try await eventually("both run") { try await home.pc.api.ask(Endpoints.getStatus).running.count == 2 }
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

    @Test("The use of a program under another name by `usage track` is recorded in full, also if it is short")
    func shortlyTracked() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)")])
        // The agent, which looks once a second, tells that it recognizes it; the program ends
        // before the node looks.
        let run = try await home.pc.latchkey("usage", "track", "--app", "other", "--", home.game, "1.2")
        #expect(run.status == 0 && !run.talk.contains("NOT recorded"), "\(run)")
        try await home.mum.eventuallyHasUsage(1)
        let record = try #require(try await home.mum.usage().first)
        #expect(record.appID.text == "other" && record.evidence == .tracked, "\(record); \(run)")
        #expect(record.activeMilliseconds >= 1_000, "\(record)")
      }
    }
  }
}
