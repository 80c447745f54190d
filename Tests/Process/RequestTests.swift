import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What a child asks for: answered by one parent, seen by all, held by every machine of the
  /// child's.
  @Suite struct RequestTests {
    private func states(_ node: NodeProcess) async throws -> [RequestListing.State] {
      try await node.api.ask(Endpoints.getRequests, nil).map(\.state)
    }

    @Test(
      "A request is answered by one parent, and the other and both of the child's machines know; the first answer holds"
    )
    func answered() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        let toms = try await lab.runningNode(.child, "Tom's PC")
        for machine in [laptop, toms] { try await lab.pair(mum, machine) }
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        for (parent, machine, child) in [
          (mum, pc, "Emma"), (mum, laptop, "Emma"), (mum, toms, "Tom"), (dad, pc, "Emma"),
        ] {
          try await eventually("the accounts are known") {
            try await !parent.api.ask(Endpoints.getAccounts, machine.name).isEmpty
          }
          _ = try await parent.api.ask(Endpoints.renameDevice, (machine.name, RenameRequest(childName: child)))
        }
        try await eventually("the laptop is Emma's") {
          try await laptop.api.ask(Endpoints.getChildren).map(\.name.text) == ["Emma"]
        }

        let asked = try await laptop.latchkey("ask", "30m", "--reason", "a secret of hers")
        #expect(asked.status == 0 && asked.talk.contains("asked for 30 min"), "\(asked)")
        // It survives the death of the machine before anybody has seen it.
        try await laptop.restart()
        for node in [mum, dad, pc] {
          try await eventually("\(node.name) knows of it") { try await states(node) == [.open] }
        }
        // Who is not in touch with the one who asked answers as well.
        let yes = try await dad.latchkey("approve", "--minutes", "20", "--word", "then bed")
        #expect(yes.status == 0 && yes.talk.contains("Emma gets 20 min."), "\(yes)")
        for node in [mum, pc, laptop] {
          try await eventually("\(node.name) knows the answer") { try await states(node) == [.approved] }
        }
        let shown = try await laptop.latchkey("requests")
        #expect(shown.output.contains("yes, 20 min, on") && shown.output.contains("then bed"), "\(shown)")
        let listed = try await mum.latchkey("requests")
        #expect(listed.output.contains("Tom's laptop"), "\(listed)")
        // The other parent is told that it was answered, by whom and with what.
        let id = try #require(try await mum.api.ask(Endpoints.getRequests, nil).first).short
        let second = try await mum.latchkey("deny", id)
        #expect(
          second.status != 0 && second.talk.contains("“Tom's laptop” answered that request before: yes"), "\(second)")
        let none = try await mum.latchkey("deny")
        #expect(none.status != 0 && none.talk.contains("No request waits"), "\(none)")
        let wrong = try await mum.latchkey("approve", id + "0000")
        #expect(wrong.status != 0 && wrong.talk.contains("There is no request"), "\(wrong)")

        // A sibling's machine has nothing of it.
        #expect(try await toms.api.ask(Endpoints.getRequests, nil).isEmpty)
        #expect(await toms.terminate() == .exited(0))
        let kept = try toms.read { try String.fetchAll($0, sql: "SELECT text FROM fact") }
        #expect(!kept.contains { $0.contains("secret") }, "\(kept)")
      }
    }

    @Test(
      "An application that a parent approves is no longer blocked; a child answers nothing, a parent asks for nothing")
    func application() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("app/a.b/blocked", "yes")])))
        try await eventually("it is blocked") {
          try await pc.api.ask(Endpoints.getRules, nil).rules.first { $0.key == "app/a.b/blocked" }?.value == "yes"
        }
        #expect(try await pc.latchkey("ask", "--app", "a.b").status == 0)
        #expect(try await pc.latchkey("approve").status != 0)
        #expect(try await mum.latchkey("ask", "5m").status != 0)
        try await eventually("mum knows") { try await states(mum) == [.open] }
        let wrong = try await mum.latchkey("approve", "--minutes", "5")
        #expect(wrong.status != 0 && wrong.talk.contains("leave the minutes out"), "\(wrong)")
        #expect(try await mum.latchkey("approve").status == 0)
        try await eventually("it is no longer blocked") {
          try await pc.api.ask(Endpoints.getRules, nil).rules.first { $0.key == "app/a.b/blocked" }?.value == "no"
        }
        try await eventually("the child sees it") { try await states(pc) == [.approved] }
        // Without a parent there is nobody to ask.
        _ = try await pc.api.ask(Endpoints.deleteDevice, mum.name)
        let alone = try await pc.latchkey("ask", "5m")
        #expect(alone.status == 67 && alone.talk.contains("no parent would see it"), "\(alone)")
      }
    }

    @Test("Eight requests wait at a time, and one more is refused with a sentence until one is answered")
    func openRequests() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine is Emma's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        for number in 1...8 {
          _ = try await pc.api.ask(
            Endpoints.ask, AskRequest(child: nil, minutes: number, app: nil, category: nil, reason: "please"))
        }
        let refused = try await pc.latchkey("ask", "30m")
        #expect(refused.status != 0 && refused.talk.contains("8 requests wait for an answer already"), "\(refused)")
        try await eventually("mum has them all") { try await mum.api.ask(Endpoints.getRequests, nil).count == 8 }
        let first = try #require(try await mum.api.ask(Endpoints.getRequests, nil).first)
        let denied = try await mum.latchkey("deny", first.short)
        #expect(denied.status == 0, "\(denied)")
        try await eventually("the answer is there") {
          try await pc.api.ask(Endpoints.getRequests, nil).contains { $0.state == .denied }
        }
        let asked = try await pc.latchkey("ask", "30m")
        #expect(asked.status == 0, "\(asked)")
      }
    }
  }
}
