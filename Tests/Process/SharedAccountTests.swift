import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Two children who share one account, from a parent's words to real programs.
  @Suite struct SharedAccountTests {
    /// Makes the child's machine one on which Emma and Ben share the account that runs the tests.
    private func share(_ home: AgentHome) async throws {
      _ = try await home.mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Ben"))
      try await home.set([("app/kart/name", "Kart"), ("app/kart/matchers", "path \(home.game)"), ("mode", "limits")])
      _ = try await home.mum.api.ask(
        Endpoints.setRules,
        ("Ben", RuleRequest([.init("app/kart/name", "Kart"), .init("app/kart/matchers", "path \(home.game)")])))
      let account = try #require(
        try await home.mum.api.ask(Endpoints.getAccounts, nil).first { $0.account.uid == geteuid() }?.account.name)
      let assigned = try await home.mum.latchkey("accounts", "assign", account, "--child", "Emma", "--child", "Ben")
      #expect(assigned.status == 0 && assigned.talk.contains("shared by Ben and Emma"), "\(assigned)")
      #expect(assigned.talk.contains("Ben has no PIN"), "\(assigned)")
      for (name, pin) in [("Emma", "1111"), ("Ben", "4711")] {
        let given = try await home.mum.latchkey("children", "pin", name, input: pin + "\n")
        #expect(given.status == 0 && given.talk.contains("has a new PIN"), "\(given)")
      }
      try await eventually("the machine knows both PINs") {
        try await home.pc.api.ask(Endpoints.getChildren).map(\.hasPIN) == [true, true]
      }
    }

    /// Says who is there as a person does, once the last change is long enough ago.
    private func name(_ child: String, _ pin: String, _ home: AgentHome) async throws -> CommandResult {
      var result = try await home.pc.latchkey("me", "--i-am", child, input: pin + "\n")
      try await eventually("the last change is long enough ago") {
        if result.talk.contains("has just said") {
          result = try await home.pc.latchkey("me", "--i-am", child, input: pin + "\n")
        }
        return !result.talk.contains("has just said")
      }
      return result
    }

    @Test("The stricter rules hold until a child says with a PIN who is there, and then the child's alone")
    func named() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await share(home)
        let blocked = try await home.mum.latchkey("app", "set", "kart", "--child", "Emma", "--blocked", "--wait")
        #expect(blocked.status == 0, "\(blocked)")
        #expect(try await home.play().wait() == .signalled(SIGKILL), "It is blocked for Emma.")

        let asked = try await home.pc.latchkey("me")
        #expect(asked.status == 0 && asked.output.contains("share this account"), "\(asked)")
        #expect(asked.output.contains("Screen time: "), "\(asked)")
        let why = try await home.mum.api.ask(Endpoints.getExplanation, ("Ben", "kart", nil)).shared
        #expect(why.first?.contains("is not allowed there (Kart is blocked for Emma)") == true, "\(why)")
        let wrong = try await name("Ben", "0000", home)
        #expect(wrong.status != 0 && wrong.talk.contains("not the PIN of Ben"), "\(wrong)")
        let stranger = try await name("Zoe", "0000", home)
        #expect(stranger.status != 0 && stranger.talk.contains("not one of the children"), "\(stranger)")

        let named = try await name("Ben", "4711", home)
        #expect(named.status == 0 && named.talk.contains("Ben is here now"), "\(named)")
        #expect(try await home.pc.api.ask(Endpoints.getOwnToday).name.text == "Ben")
        let game = try await home.survivor()
        try await eventually("a parent sees who is there") {
          try await home.mum.api.ask(Endpoints.getAccounts, nil).contains { $0.present?.text == "Ben" }
        }
        let bens = try await home.pc.api.ask(Endpoints.getStatus).running.map(\.childName?.text)
        #expect(bens == ["Ben"])
        try await home.pc.restart()
        #expect(try await home.pc.api.ask(Endpoints.getOwnToday).name.text == "Ben", "It survives kill -9.")

        var left = try await home.pc.latchkey("me", "--leave")
        try await eventually("nobody is there") {
          if left.status != 0 { left = try await home.pc.latchkey("me", "--leave") }
          return left.status == 0
        }
        #expect(await game.wait() == .signalled(SIGTERM), "It is blocked for Emma again.")
        try await eventually("the use is Ben's") {
          try await home.mum.usage().contains { $0.appID.text == "kart" && $0.activeMilliseconds > 0 }
        }
        let ben = try await home.mum.api.ask(Endpoints.getChildren).first { $0.name.text == "Ben" }?.childID
        let mine = try await home.mum.usage().filter { $0.appID.text == "kart" && $0.activeMilliseconds > 0 }
        #expect(mine.contains { $0.child == ben }, "\(mine)")
      }
    }

    @Test("Use in a shared account counts for each of the children until one is named")
    func together() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await share(home)
        let game = try await home.survivor()
        let running = try await home.pc.api.ask(Endpoints.getStatus).running.compactMap(\.childName?.text)
        #expect(Set(running) == ["Ben", "Emma"] && running.count == 2)
        game.signal(SIGKILL)
        _ = await game.wait()
        try await eventually("both have a record") {
          Set(try await home.mum.usage().filter { $0.appID.text == "kart" }.compactMap(\.child)).count == 2
        }
      }
    }

    @Test("After five wrong PINs the next one waits, also over a restart of the node")
    func waits() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await share(home)
        for attempt in 1...5 {
          let wrong = try await name("Ben", "000\(attempt)", home)
          #expect(wrong.status != 0 && wrong.talk.contains("not the PIN of Ben"), "\(wrong)")
        }
        try await home.pc.restart()
        let right = try await name("Ben", "4711", home)
        #expect(right.status != 0 && right.talk.contains("Too many wrong PINs"), "\(right)")
        let emma = try await name("Emma", "1111", home)
        #expect(emma.status == 0, "\(emma)")
      }
    }
  }
}
