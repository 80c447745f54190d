import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Rules of a family, from a parent's words to real programs on a child's machine.
  @Suite struct FamilyRulesTests {
    @Test("A blocked group closes its applications, and explain names the command that opens them")
    func group() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)")])
        let game = try await home.survivor()
        let set = try await home.mum.latchkey("apps", "group", "set", "Fun", "kart", "--blocked", "--wait")
        #expect(set.status == 0 && set.talk.contains("group Fun blocked"), "\(set)")
        #expect(await game.wait() == .signalled(SIGTERM))
        let explained = try await home.mum.latchkey("explain", "--app", "kart")
        #expect(explained.output.contains("group Fun is blocked"), "\(explained)")
        #expect(explained.talk.contains("latchkey apps group set Fun --child Emma --unblocked"), "\(explained)")
        let within = try await home.mum.latchkey("apps", "group", "set", "Play", "Fun", "kart")
        #expect(within.status != 0 && within.talk.contains("“Fun” is a group"), "\(within)")
        let removed = try await home.mum.latchkey("apps", "group", "remove", "Fun", "--wait")
        #expect(removed.status == 0, "\(removed)")
        _ = try await home.survivor()
      }
    }

    @Test("A limit within hours closes its application within them alone")
    func limitWithin() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("mode", "limits"),
        ])
        // The family's clocks show UTC, and the hours begin in six hours and end an hour later.
        let hour = Int(Date.now.timeIntervalSince1970) / 3_600
        let hours = "\((hour + 6) % 24):00-\((hour + 7) % 24):00"
        let later = try await home.mum.latchkey("app", "set", "kart", "--daily-limit", "0 within \(hours)", "--wait")
        #expect(later.status == 0 && later.talk.contains("a day between"), "\(later)")
        let game = try await home.survivor()
        let now = try await home.mum.latchkey(
          "app", "set", "kart", "--daily-limit", "0 within 00:00-24:00", "--wait")
        #expect(now.status == 0, "\(now)")
        #expect(await game.wait() == .signalled(SIGTERM))
        let explained = try await home.mum.latchkey("explain", "--app", "kart")
        #expect(explained.output.contains("of Kart between 00:00 and 24:00"), "\(explained)")
      }
    }

    @Test("A lock without time to save ends a program that still had minutes to save")
    func lockNow() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("app/kart/grace", "300"),
          ("mode", "limits"),
        ])
        // It does not end when it is asked to.
        let words = ["/bin/sh", "-c", "trap '' TERM; exec \"$0\" \"$@\"", home.game]
        var game = try home.play(words)
        try await eventually("the game runs") {
          if !game.isRunning { game = try home.play(words) }
          return try await home.pc.api.ask(Endpoints.getStatus).running.contains { $0.displayName == "Kart" }
        }
        let locked = try await home.mum.latchkey("lock", "Emma", "--wait")
        #expect(locked.status == 0 && game.isRunning, "\(locked)")
        let now = try await home.mum.latchkey("lock", "Emma", "--now", "--wait")
        #expect(now.status == 0 && now.talk.contains("locked without time to save"), "\(now)")
        #expect(await game.wait() == .signalled(SIGKILL))
        let open = try await home.mum.latchkey("unlock", "Emma", "--wait")
        #expect(open.status == 0, "\(open)")
        _ = try await home.survivor()
      }
    }

    @Test("Time that is taken away closes what it was left for, and no more is taken than is left")
    func lessTime() async throws {
      try await ProcessLab.run { lab in
        let clocks = try MovableClocks(lab)
        let home = try await AgentHome(lab, clocks: clocks)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("mode", "limits"),
        ])
        let nothing = try await home.mum.latchkey("grant", "Emma", "-30m")
        #expect(nothing.status != 0 && nothing.talk.contains("no limit a day"), "\(nothing)")
        let limit = try await home.mum.latchkey("limit", "set", "--today", "20m", "--wait")
        #expect(limit.status == 0, "\(limit)")
        let game = try await home.survivor()
        let taken = try await home.mum.latchkey("grant", "Emma", "-30m", "--reason", "rude at dinner", "--wait")
        #expect(taken.status == 0 && taken.talk.contains("less today, which is all that was left"), "\(taken)")
        try await eventually("the child reads why") {
          try await home.pc.latchkey("me").talk.contains("less today: rude at dinner")
        }
        // Less than a minute of what was left was not taken.
        try clocks.pass(40)
        #expect(await game.wait() == .signalled(SIGTERM))
        let again = try await home.mum.latchkey("grant", "Emma", "-5m")
        #expect(again.status != 0 && again.talk.contains("less than 1 min left today"), "\(again)")
        let more = try await home.mum.latchkey("grant", "Emma", "10m", "--wait")
        #expect(more.status == 0, "\(more)")
        _ = try await home.survivor()
        for node in [home.pc, home.mum] {
          let told = try await node.latchkey(node === home.pc ? "me" : "today").talk
          #expect(told.contains("10 min more today.") && told.contains("less today: rude at dinner"), "\(told)")
        }
      }
    }

    @Test("Holidays of the family are entered once, listed by name, and removed by it")
    func holidays() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await home.set([
          ("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("mode", "limits"),
          ("schedule/school", "00:00-24:00"),
        ])
        #expect(try await home.play().wait() == .signalled(SIGKILL), "It is school time.")
        let today = try await home.pc.api.ask(Endpoints.getToday, "Emma").day
        let year = Int(today.prefix(4)) ?? 0
        let days = "\(today)..\(year + 1)\(today.dropFirst(4).prefix(3))-01"
        let set = try await home.mum.latchkey(
          "times", "--family", "--day", days, "--name", "Holidays", "--school", "none", "--wait")
        #expect(set.status == 0, "\(set)")
        _ = try await home.survivor()
        let listed = try await home.mum.latchkey("days", "--family")
        #expect(listed.output.contains("Holidays") && listed.output.contains("no school time"), "\(listed)")
        let removed = try await home.mum.latchkey("days", "remove", "holidays", "--family", "--wait")
        #expect(removed.status == 0, "\(removed)")
        try await eventually("it is school time again") {
          try await home.play(seconds: ["1"]).wait() == .signalled(SIGKILL)
        }
      }
    }
  }
}
