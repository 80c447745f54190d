import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What parents are told, each once.
  @Suite struct ParentNoticeTests {
    private func told(_ node: NodeProcess, _ receiver: String? = "desktop") async throws -> ParentNotices {
      try await node.api.ask(Endpoints.getNotices, receiver)
    }

    private func ask(_ home: AgentHome, _ time: String) async throws {
      let asked = try await home.pc.latchkey("ask", time)
      #expect(asked.status == 0, "\(asked)")
    }

    @Test("Requests of a minute are one notice, told once to each receiver, also after both machines were killed")
    func requests() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        try await ask(home, "30m")
        try await eventually("a parent is told") { try await told(home.mum).notices.count == 1 }
        let first = try #require(try await told(home.mum).notices.first)
        #expect(first.kind == .asked && first.sentence == "Emma asks for 30 min." && first.requests.count == 1)
        _ = try await home.mum.api.ask(Endpoints.setPosition, ("desktop", ReceiverPosition(position: first.number)))
        #expect(try await told(home.mum).notices.isEmpty)
        #expect(try await told(home.mum, "phone").notices.count == 1)

        await home.mum.kill()
        await home.pc.kill()
        try await home.pc.start()
        try await home.mum.start()
        try await ask(home, "15m")
        try await eventually("a parent is told of both") { try await told(home.mum).notices.count == 1 }
        let both = try #require(try await told(home.mum).notices.first)
        #expect(both.key == first.key && both.requests.count == 2)
        #expect(both.sentence == "Emma asks for 30 min and 15 min.", "\(both)")
        // For somebody else, it is one as well.
        #expect(try await told(home.mum, "phone").notices == [both])

        for request in both.requests {
          let answer = AnswerRequest(request: "\(request)", isApproved: false, minutes: nil, word: "")
          _ = try await home.mum.api.ask(Endpoints.answerRequest, answer)
        }
        #expect(try await told(home.mum, "phone").notices.isEmpty, "What was answered is not told.")
        #expect(try await told(home.mum, nil).notices.allSatisfy { $0.isOver })
      }
    }

    @Test("A family chooses what its parents are told, and nothing is shown in quiet hours")
    func choice() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let quiet = try await home.mum.latchkey("notices", "set", "--quiet", "00:00-24:00")
        #expect(quiet.status == 0, "\(quiet)")
        try await ask(home, "30m")
        try await eventually("a parent knows of the request") {
          try await !home.mum.api.ask(Endpoints.getRequests, nil).isEmpty
        }
        let silent = try await told(home.mum)
        #expect(silent.notices.isEmpty && silent.position == 0 && silent.quietUntil != nil)
        let set = try await home.mum.latchkey("notices", "set", "--quiet", "none", "--requests", "off")
        #expect(set.status == 0, "\(set)")
        let off = try await told(home.mum)
        #expect(off.notices.isEmpty && off.quietUntil == nil)
        let listed = try await home.mum.latchkey("notices", "set", "--requests", "on")
        #expect(listed.status == 0)
        #expect(try await told(home.mum).notices.count == 1)
        let page = try await home.mum.latchkey("notices")
        #expect(page.output.contains("Emma asks for 30 min."), "\(page)")
      }
    }
  }
}
