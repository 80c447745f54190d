import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// Either side is killed at every instruction of the durable commit, in real processes.
  @Suite struct PairingCrashTests {
    /// The required result of a crash at one instruction.
    enum Expected: Sendable {
      case paired
      case unpaired
      /// It depends on the kernel whether the frame before the crash was sent.
      case either
    }

    struct Death: Sendable, CustomStringConvertible {
      var point: String
      var expected: Expected
      /// A Boolean value that indicates whether the node stays off until each side's half has
      /// expired.
      var isLong = false

      var ofInviter: Bool { point.hasPrefix("pairing.inviter") }
      var description: String { point + (isLong ? ", dead for a minute" : "") }
    }

    static let deaths = [
      Death(point: "pairing.inviter.opening", expected: .unpaired),
      Death(point: "pairing.inviter.accepted", expected: .unpaired),
      Death(point: "pairing.inviter.pending-stored", expected: .unpaired),
      Death(point: "pairing.inviter.commit-sent", expected: .either),
      Death(point: "pairing.inviter.acknowledged", expected: .paired),
      Death(point: "pairing.inviter.promoted", expected: .paired),
      Death(point: "pairing.inviter.done-sent", expected: .paired),
      Death(point: "pairing.joiner.dialled", expected: .unpaired),
      Death(point: "pairing.joiner.accepted", expected: .unpaired),
      Death(point: "pairing.joiner.pending-stored", expected: .paired),
      Death(point: "pairing.joiner.acknowledgement-sent", expected: .paired),
      Death(point: "pairing.joiner.done", expected: .paired),
      Death(point: "pairing.joiner.promoted", expected: .paired),
      // The last message is missing for longer than the other side waits, so the first contact
      // afterwards decides.
      Death(point: "pairing.inviter.promoted", expected: .paired, isLong: true),
      Death(point: "pairing.joiner.done", expected: .paired, isLong: true),
      Death(point: "pairing.joiner.pending-stored", expected: .unpaired, isLong: true),
      Death(point: "pairing.inviter.pending-stored", expected: .unpaired, isLong: true),
    ]

    @Test("After a crash at any point, both sides agree within a minute whether they are paired, and can pair again")
    func everyInstruction() async throws {
      try await ProcessLab.run { lab in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, death) in Self.deaths.enumerated() where !death.isLong || Length.isThorough {
            group.addTask { try await Self.check(death, isTyped: index % 2 == 1, lab) }
          }
          try await group.waitForAll()
        }
      }
    }

    private static func check(_ death: Death, isTyped: Bool, _ lab: ProcessLab) async throws {
      let parent = try await lab.node(.parent, "Kitchen laptop")
      let child = try await lab.node(.child, "Emma's PC")
      let (victim, other) = death.ofInviter ? (parent, child) : (child, parent)
      try await other.start()
      try await victim.start(NodeProcess.quiet, crashPoint: death.point)
      let port = try await parent.port()
      let invited = try await parent.api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
      let code = try #require(isTyped ? invited.typedCode : invited.code)
      let request = JoinRequest(code: code, peer: "127.0.0.1:\(port)")
      // The joiner's own API may die with it before it has answered.
      let started = try? await child.api.ask(Endpoints.join, request)
      // A session that completes the pairing may be faster than the instruction; then the side dies
      // a moment later.
      try await eventually("\(death) happens") {
        guard await victim.isRunning else { return true }
        guard (try? await parent.isConnected()) == true, (try? await child.isConnected()) == true else { return false }
        await victim.kill()
        return true
      }
      if death.isLong {
        try await lapse(of: other, isInviter: !death.ofInviter, started, death)
        try age(of: victim)
      }
      try await victim.start(NodeProcess.quiet)
      let isPaired = try await agreement(parent, child, death)
      switch death.expected {
      case .paired: #expect(isPaired, "\(death)")
      case .unpaired: #expect(!isPaired, "\(death)")
      case .either: break
      }
      if !isPaired {
        // The code was not used up, so it is still good while its time is not over.
        let again = try await lab.join(child, code, peer: "127.0.0.1:\(port)")
        #expect(again.outcome == .ok, "\(death): \(again)")
        try await eventually("\(death): the parent is connected") { try await parent.isConnected() }
        try await eventually("\(death): the child is connected") { try await child.isConnected() }
      }
      // However it was completed, also by a session after a restart: the code has done its work.
      try await eventually("\(death): the code is spent") { try await parent.api.ask(Endpoints.getPairings).isEmpty }
      for node in [parent, child] {
        _ = await node.terminate()
        #expect(try halves(at: node) == 0, "\(death)")
      }
    }

    /// Waits until the side that lives has given up on its half, with a sentence for its person.
    private static func lapse(
      of node: NodeProcess, isInviter: Bool, _ started: PairingProgress?, _ death: Death
    ) async throws {
      if !isInviter, let started {
        var progress = started
        while progress.phase != .ended {
          progress = try await node.api.ask(Endpoints.waitForPairing, (progress.pairingID, progress.change))
        }
        // A session with the new key may have been faster than the death.
        if progress.outcome == .ok { return }
        #expect(progress.outcome == .network && progress.sentence?.hasSuffix(".") == true, "\(death): \(progress)")
        #expect(try await node.api.ask(Endpoints.getDevices).isEmpty, "\(death)")
      }
      // An inviter that has said its last word has nothing to give up.
      guard isInviter, try await node.api.ask(Endpoints.getDevices).isEmpty else { return }
      try await eventually("\(death): the half is rolled back") {
        node.log.contains("an incomplete pairing was rolled back")
      }
    }

    /// Sets the age of a stopped node's pending pairing to a minute.
    private static func age(of node: NodeProcess) throws {
      try node.edit {
        try $0.execute(
          sql: "UPDATE peer SET pending_since_boot = pending_since_boot - ?",
          arguments: [Limits.pairingCommitMilliseconds])
      }
    }

    /// Waits until both sides agree, and returns whether they take themselves for paired and are
    /// connected.
    private static func agreement(_ parent: NodeProcess, _ child: NodeProcess, _ death: Death) async throws -> Bool {
      var isPaired: Bool?
      try await eventually("\(death): both sides agree") {
        if try await parent.isConnected(), try await child.isConnected() {
          isPaired = true
        } else if try await areUnpaired(parent, child) {
          isPaired = false
        } else if try await areUnpairedButForTime(parent, child) {
          await parent.kill()
          try age(of: parent)
          try await parent.start()
        }
        return isPaired != nil
      }
      return isPaired == true
    }

    /// Returns whether the parent has half of a pairing of which the child has nothing, so that
    /// only the end of a minute is left to come.
    private static func areUnpairedButForTime(_ parent: NodeProcess, _ child: NodeProcess) async throws -> Bool {
      guard try await child.api.ask(Endpoints.getPairings).isEmpty, try await child.paired().isEmpty else {
        return false
      }
      return try halves(at: child) == 0 && halves(at: parent, areOpen: true) > 0
    }

    /// Returns whether neither side takes itself for paired, nor has anything under way that could
    /// still pair them.
    private static func areUnpaired(_ parent: NodeProcess, _ child: NodeProcess) async throws -> Bool {
      guard try await child.api.ask(Endpoints.getPairings).isEmpty else { return false }
      // The child first: its lapsed pairing is completed only by a parent that has the other half.
      for node in [child, parent] {
        guard try await node.paired().isEmpty, try halves(at: node, areOpen: true) == 0 else { return false }
      }
      return true
    }

    /// Returns how many half-made pairings a node has, or how many of them are not over for its
    /// person.
    private static func halves(at node: NodeProcess, areOpen: Bool = false) throws -> Int {
      let open = areOpen ? " AND pending_lapsed = 0" : ""
      return try node.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer WHERE pending_key IS NOT NULL\(open)") ?? 0
      }
    }

    @Test("A cancellation that is too late unpairs the machine on both sides")
    func brokenOffInDoubt() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.node(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        try await parent.start(NodeProcess.quiet, crashPoint: "pairing.inviter.promoted")
        let code = try await lab.code(from: parent)
        let started = try await child.api.ask(Endpoints.join, JoinRequest(code: code))
        // No session can remove the doubt: the parent does not know where the child listens, and
        // the child calls only after it has lost the connection, which is after the parent's death.
        #expect(await parent.wait() == .signalled(9))
        var progress = started
        while progress.sentence == nil, progress.phase != .ended {
          progress = try await child.api.ask(Endpoints.waitForPairing, (started.pairingID, progress.change))
        }
        #expect(progress.phase == .committing, "\(progress)")
        progress = try await child.api.ask(Endpoints.cancelPairing, started.pairingID)
        #expect(progress.outcome == .cancelled, "\(progress)")
        #expect(try await child.paired().isEmpty)
        try await parent.start(NodeProcess.quiet)
        try await eventually("the parent has heard of it") { try await parent.paired().isEmpty }
        #expect(try await child.paired().isEmpty)
      }
    }
  }
}
