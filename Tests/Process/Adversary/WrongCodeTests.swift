import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Codes that do not fit, at a real node's command line: a sentence with the next step each, and
  /// nothing half done.
  @Suite struct WrongCodeTests {
    /// Enters a code and checks the exit status and that the sentence contains the next step.
    private func refuse(
      _ code: String, at node: NodeProcess, _ status: Int32, next: String, _ arguments: [String] = [],
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let joined = try await node.lab.latchkey(["pair", "join", "--state-dir", node.folder] + arguments, input: code)
      #expect(joined.status == status, "\(joined)", sourceLocation: sourceLocation)
      let sentences = joined.talkLines.filter { !$0.hasPrefix("Looking") }
      #expect(sentences.count == 1 && sentences[0].hasPrefix("latchkey: "), "\(joined)", sourceLocation: sourceLocation)
      #expect(
        sentences.allSatisfy { $0.contains(next) && $0.hasSuffix(".") }, "\(joined)", sourceLocation: sourceLocation)
      #expect(joined.output.isEmpty, "\(joined)", sourceLocation: sourceLocation)
      let compact = code.filter { $0.isLetter || $0.isNumber }
      #expect(
        compact.count < 9 || !joined.talk.contains(compact), "the code is not repeated", sourceLocation: sourceLocation)
      #expect(try await node.api.ask(Endpoints.getDevices).isEmpty, sourceLocation: sourceLocation)
    }

    @Test(
      "A typed code with a wrong, swapped, missing or additional symbol never causes network traffic")
    func mistypedTyped() async throws {
      var random = SeededRandom()
      print("WrongCodeTests: \(random.note)")
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = Array(try await lab.invite(parent).typed.filter { $0 != "-" })
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        var wrong: [[Character]] = [Array(code.dropLast()), code + ["7"], code.map { _ in "U" }]
        for index in code.indices {
          var other = code
          other[index] = random.pick(alphabet.filter { $0 != code[index] })
          wrong.append(other)
        }
        if let index = (0..<8).first(where: { code[$0] != code[$0 + 1] }) {
          var swapped = code
          swapped.swapAt(index, index + 1)
          wrong.append(swapped)
        }
        let peer = ["--peer", "127.0.0.1:\(try await parent.port())"]
        for text in wrong { try await refuse(String(text), at: child, 65, next: "code", peer) }
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [5], "\(random.note)")
        try await lab.expectNothingHalfDone([child])
      }
    }

    @Test(
      "An expired code gets no answer on either path, before and after a restart of the node",
      arguments: [false, true])
    func expired(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let peer = ["--peer", "127.0.0.1:\(try await parent.port())"]
        let code = try await lab.invite(parent)
        // The boot clock cannot be set, so it is the opening that is moved: ten minutes into the
        // past.
        await parent.kill()
        try parent.edit { try $0.execute(sql: "UPDATE invitation SET opened_boot = opened_boot - 600000") }
        try await parent.start()
        #expect(try await parent.api.ask(Endpoints.getPairings).isEmpty)
        try await refuse(code.text(isTyped: isTyped), at: child, 65, next: "`latchkey pair` there", peer)

        // One that runs out while the node is up: three seconds of its minutes are left.
        let late = try await lab.invite(parent)
        await parent.kill()
        try parent.edit {
          try $0.execute(sql: "UPDATE invitation SET opened_boot = opened_boot - 297000 WHERE outcome IS NULL")
        }
        try await parent.start()
        try await eventually("it runs out") { try await parent.api.ask(Endpoints.getPairings).isEmpty }
        try await refuse(late.text(isTyped: isTyped), at: child, 65, next: "`latchkey pair` there", peer)
        try await lab.expectNothingHalfDone([parent, child])
      }
    }

    @Test("If a code expires while the person is asked, both sides are told and nothing is stored")
    func expiredWhileAsked() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.invite(parent, asks: true)
        await parent.kill()
        try parent.edit { try $0.execute(sql: "UPDATE invitation SET opened_boot = opened_boot - 294000") }
        try await parent.start()
        let joining = try await child.api.ask(
          Endpoints.join,
          JoinRequest(code: code.typed, peer: "127.0.0.1:\(try await parent.port())", acceptWithoutAsking: false))
        let ended = try await lab.follow(joining.pairingID, at: child) { _ in false }
        #expect(ended.outcome == .expired && ended.sentence?.contains("`latchkey pair`") == true, "\(ended)")
        let atParent = try await lab.follow(code.id, at: parent) { _ in false }
        #expect(
          atParent.outcome == .expired && atParent.sentence?.contains("`latchkey pair`") == true, "\(atParent)")
        try await lab.expectNothingHalfDone([parent, child])
      }
    }

    @Test("A parent that joins and a child that invites are told which machine does which step")
    func otherRole() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let other = try await lab.runningNode(.parent, "Dad's laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.invite(parent)
        for text in [code.typed, code.pasted] {
          try await refuse(text, at: other, 77, next: "`latchkey pair` here and on the child's")
          // Its own code.
          try await refuse(text, at: parent, 77, next: "`latchkey pair` here and on the child's")
        }
        let invited = try await child.latchkey("pair", "invite", "--yes")
        #expect(invited.status == 77 && invited.talkLines.count == 1, "\(invited)")
        #expect(invited.talk.contains("`latchkey pair` here and on the parent's"), "\(invited)")
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [5])
        try await lab.expectNothingHalfDone([other, child])
      }
    }

    @Test("A machine that acts as a parent with the right code is a wrong guess for the inviter")
    func joinerOfAnotherRole() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let code = try await lab.invite(parent)
        let port = try await parent.port()
        for (number, text) in [code.pasted, code.typed].enumerated() {
          let credential = try PairingCredential(text)
          let joiner = try Attacker(.parent)
          let stream = try ByteStream(port: port, from: "127.0.0.6\(number)")
          let end = await onThread { joiner.join(credential, on: stream) }
          #expect(end.outcome == .wrongCode && end.digits == nil)
        }
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [3])
        try await lab.expectNothingHalfDone([parent])
      }
    }

    @Test("A machine with the code that claims another role after the prologue is refused, and the code stays open")
    func changedRole() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.invite(parent)
        guard case .typed(let typed) = try PairingCredential(code.typed) else { return }
        let port = try await parent.port()
        for _ in 0..<6 {
          // The code's one place may still be taken by the attempt before.
          try await eventually("it is turned away") {
            let answer = try await onThread {
              Result { try GrindingPeer(.parent, typed).joinAsCommitted(on: try ByteStream(port: port)) }
            }.get()
            guard answer != PairingNotice.busy.frame else { return false }
            // The answer is encrypted, so it is not the notice of a wrong guess.
            #expect((answer?.count ?? 0) > 2, "\(String(describing: answer))")
            return true
          }
        }
        #expect(try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft) == [5])
        try await eventually("the right machine joins") {
          let outcome = try await lab.join(child, code.typed, peer: "127.0.0.1:\(port)").outcome
          #expect(outcome == .ok || outcome == .busy)
          return outcome == .ok
        }
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Emma's PC"])
      }
    }

    @Test(
      "A typed code that is foreign, used or cancelled pairs no machine, and the message says what to do",
      arguments: ["foreign", "spent", "cancelled"])
    func notThisCode(which: String) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let peer = ["--peer", "127.0.0.1:\(try await parent.port())"]
        let code = try await lab.invite(parent)
        switch which {
        case "foreign":
          // Its discriminator belongs to no open code here; otherwise it would be a wrong guess.
          let elsewhere = try await lab.runningNode(.parent, "Neighbour")
          var foreign = try await lab.invite(elsewhere)
          while foreign.typed.prefix(2) == code.typed.prefix(2) { foreign = try await lab.invite(elsewhere) }
          try await refuse(foreign.typed, at: child, 65, next: "`latchkey pair` there", peer)
        case "spent":
          let first = try await lab.runningNode(.child, "Ben's PC")
          #expect(try await lab.join(first, code.typed, peer: peer[1]).outcome == .ok)
          try await refuse(code.typed, at: child, 65, next: "`latchkey pair` there", peer)
          #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Ben's PC"])
        default:
          #expect(try await parent.latchkey("pair", "cancel").status == 0)
          try await refuse(code.typed, at: child, 65, next: "`latchkey pair` there", peer)
        }
        try await lab.expectNothingHalfDone([child])
      }
    }
  }
}
