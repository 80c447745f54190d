import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import Synchronization
import Testing

extension ProcessTests {
  /// Tests of a machine that announces the discriminator of another machine's open code.
  @Suite struct SpoofTests {
    /// Ports that play an inviter who does not have the code; returns how many first messages they
    /// were sent.
    private static func traps(
      _ count: Int, _ code: Invitation, isTyped: Bool, tested: @escaping @Sendable () -> Void
    ) throws -> [Interceptor] {
      try (0..<count).map { _ in
        let attacker = try Attacker(.parent)
        let guess = try code.guess(isTyped: isTyped)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil else { return }
          let end = attacker.invite(guess, on: stream)
          // With a first message of the handshake he can test his guess; an offer alone tells him
          // nothing.
          if end.received.contains(where: { $0.count == 82 }) { tested() }
        }
        return trap
      }
    }

    /// Waits until a node sees that a number of machines announce the code.
    ///
    /// Each machine has one port, and one or two addresses.
    private func sees(_ child: NodeProcess, _ code: Invitation, machines: Int) async throws {
      var seen = NearbyInvitations.none(after: 0)
      while true {
        let addresses = seen.invitations.first { code.typed.hasPrefix($0.prefix) }?.addresses ?? []
        if Set(addresses.compactMap { $0.split(separator: ":").last }).count >= machines { return }
        seen = try await child.api.ask(Endpoints.waitForInvitations, seen.change)
      }
    }

    @Test(
      "A joiner ignores machines that announce the same discriminator, and pairs with the one that showed the code",
      arguments: [false, true])
    func passedBy(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        let code = try await lab.invite(parent)
        let discriminator = try PairingCredential(code.pasted).discriminator
        let tested = Mutex(0)
        let traps = try Self.traps(2, code, isTyped: isTyped) { tested.withLock { $0 += 1 } }
        let spoofers = traps.enumerated().map { number, trap in
          Spoofer(discriminator: discriminator, port: trap.port, name: "0000000\(number)")
        }
        try await sees(child, code, machines: 3)
        let joined = try await lab.join(child, code.text(isTyped: isTyped))
        #expect(joined.outcome == .ok, "\(joined)")
        #expect(tested.withLock { $0 } == 2, "both were tried before")
        #expect(try await child.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Kitchen laptop"])
        for spoofer in spoofers { await spoofer.end() }
        _ = await child.terminate()
        let runs = try child.read { try Int.fetchAll($0, sql: "SELECT runs FROM pairing_run") }
        #expect(runs == (isTyped ? [2] : []), "what the true inviter answered is no guess")
        #expect(try child.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer") } == 1)
      }
    }

    @Test("With the typed code, a spoofer gets five runs with one guess each, even over a restart of the joiner")
    func fiveRuns() async throws {
      try await ProcessLab.run { lab in
        // The machine that showed the code is not to be found.
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC", [])
        let code = try await lab.invite(parent)
        let discriminator = try PairingCredential(code.pasted).discriminator
        let tested = Mutex(0)
        let traps = try Self.traps(3, code, isTyped: true) { tested.withLock { $0 += 1 } }
        let spoofers = traps.enumerated().map { number, trap in
          Spoofer(discriminator: discriminator, port: trap.port, name: "0000000\(number)")
        }
        try await sees(child, code, machines: 3)
        #expect(try await lab.join(child, code.typed).outcome == .wrongCode)
        #expect(tested.withLock { $0 } == 3)
        try await child.restart()
        try await sees(child, code, machines: 3)
        #expect(try await lab.join(child, code.typed).outcome == .wrongCode)
        #expect(tested.withLock { $0 } == 5, "the third of them is not tried any more")
        let connections = traps.map(\.count).reduce(0, +)
        #expect(try await lab.join(child, code.typed).outcome == .wrongCode)
        #expect(traps.map(\.count).reduce(0, +) == connections, "nobody is even called")
        for spoofer in spoofers { await spoofer.end() }
        try await lab.expectNothingHalfDone([child])
        #expect(try child.read { try Int.fetchAll($0, sql: "SELECT runs FROM pairing_run") } == [5])
      }
    }
  }
}
