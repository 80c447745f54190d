import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTransport
import Testing

extension ProcessTests {
  /// Codes that are wrong in one way or another.
  @Suite struct CodeTests {
    /// Enters a code on the command line, and checks the sentence and the exit status, and that no
    /// machine is paired.
    private func refuse(
      _ code: String, at child: NodeProcess, _ status: Int32, _ arguments: [String] = [],
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let joined = try await child.lab.latchkey(["pair", "join", "--state-dir", child.folder] + arguments, input: code)
      #expect(joined.status == status, "\(joined)", sourceLocation: sourceLocation)
      // Besides the word that it is looking.
      let sentences = joined.talkLines.filter { !$0.hasPrefix("Looking") }
      #expect(sentences.count == 1 && sentences[0].hasPrefix("latchkey: "), "\(joined)", sourceLocation: sourceLocation)
      #expect(joined.output.isEmpty, sourceLocation: sourceLocation)
      #expect(try await child.api.ask(Endpoints.getDevices).isEmpty, sourceLocation: sourceLocation)
    }

    private func failuresLeft(_ parent: NodeProcess) async throws -> [Int?] {
      try await parent.api.ask(Endpoints.getPairings).map(\.failuresLeft)
    }

    @Test("A code with one wrong symbol, an incomplete one, and an empty one are refused without network traffic")
    func mistyped() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.code(from: parent)
        for index in [5, code.count / 2, code.count - 1] {
          var wrong = Array(code)
          guard wrong[index] != "-" else { continue }
          wrong[index] = wrong[index] == "Q" ? "P" : "Q"
          try await refuse(String(wrong), at: child, 65)
        }
        try await refuse(String(code.prefix(code.count - 6)), at: child, 65)
        try await refuse("hello", at: child, 65)
        try await refuse("\n", at: child, 66)
        #expect(try await failuresLeft(parent) == [5])
        #expect(!parent.log.contains("wrong pairing code"))
      }
    }

    @Test("A code given as an argument is refused and not printed")
    func asArgument() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.code(from: parent)
        for arguments in [[code], ["--code", code], ["--code=\(code)"]] {
          let joined = try await child.lab.latchkey(["pair", "join", "--state-dir", child.folder] + arguments)
          #expect(joined.status == 64, "\(joined)")
          #expect(!joined.talk.contains(code) && !joined.output.contains(code))
        }
        #expect(try await child.api.ask(Endpoints.getDevices).isEmpty)
        #expect(try await failuresLeft(parent) == [5])
      }
    }

    @Test("A cancelled, a used and a foreign code pair no machine")
    func closed() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let late = try await lab.runningNode(.child, "Late PC")
        let cancelled = try await lab.code(from: parent)
        #expect(try await parent.latchkey("pair", "cancel").status == 0)
        try await refuse(cancelled, at: child, 65)

        let used = try await lab.code(from: parent)
        #expect(try await lab.join(child, used).outcome == .ok)
        try await refuse(used, at: late, 65)

        let other = try await lab.runningNode(.parent, "Other parent")
        let foreign = try await lab.code(from: other)
        _ = try await lab.code(from: parent)
        try await refuse(foreign, at: late, 65, ["--peer", "127.0.0.1:\(try await parent.port())"])
        await other.kill()
        try await refuse(foreign, at: late, 69, ["--peer", "127.0.0.1:\(try lab.freePort())"])
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Emma's PC"])
        #expect(try await parent.api.ask(Endpoints.getPairings).count == 1)
      }
    }

    @Test("Five wrong guesses close a code permanently, even if the node is killed in between")
    func guesses() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let code = try await lab.code(from: parent)
        for left in [4, 3, 2] {
          try await guess(code, at: parent)
          try await eventually("\(left) are left") { try await failuresLeft(parent) == [left] }
        }
        try await parent.restart()
        #expect(try await failuresLeft(parent) == [2])
        for left in [[1], []] {
          try await guess(code, at: parent)
          try await eventually("\(left) are left") { try await failuresLeft(parent) == left }
        }
        try await refuse(code, at: child, 65)
        try await parent.restart()
        try await refuse(code, at: child, 65)
        #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
      }
    }

    /// Knock with the right discriminator and a wrong secret; returns when the parent has closed.
    private func guess(_ text: String, at parent: NodeProcess) async throws {
      let code = try PairingCode(text)
      let wrong = PairingCode(
        discriminator: code.discriminator, minutesValid: code.minutesValid, secret: SecretBytes(SecureRandom.bytes(16)),
        commitment: code.commitment, address: code.address)
      let party = PairingParty(identity: .generate(), link: .generate(), name: try DeviceName("Guesser"), role: .child)
      let machine = PairingAttempt(
        joiner: party, code: .pasted(wrong),
        entropy: PairingEntropy(
          random: SecureRandom.bytes(32), ephemeralKey: .generate(), scalar: .generate(),
          sessionID: SecureRandom.bytes(16)), asksPerson: false)
      let endpoint = SocketEndpoint(host: "127.0.0.1", port: try await parent.port())
      try await Dialer().withConnection(to: endpoint, preamble: .pairing(discriminator: code.discriminator)) {
        connection, frames in
        connection.send(machine.opening)
        while await frames.next() != nil {}
      }
    }
  }
}
