import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Testing

extension ProcessTests {
  /// A line that is cut at every place, forges frames, doubles them, sends them back, or falls
  /// silent without closing.
  @Suite struct LinkFaultTests {
    private static let workers = 12
    /// Positions besides those around the frames' boundaries, for each form of the code.
    private static let positions = 20

    @Test("On any faulty connection, both machines are paired or neither is, and both report the outcome")
    func everyFault() async throws {
      var random = SeededRandom()
      print("LinkFaultTests: \(random.note)")
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(
          .parent, "Parent", ["--no-discovery", "--port", "\(try lab.freePort())"])
        let children = try await family(lab)
        let faults = try await faults(parent, children[0], &random)
        print("LinkFaultTests: \(faults.count) faults")
        let queue = FaultQueue(faults)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for child in children {
            group.addTask {
              while let fault = queue.next() {
                try await Self.suffer(fault, parent, child, lab)
              }
            }
          }
          try await group.waitForAll()
        }
        try await agreeInTheEnd(parent, children)
      }
    }

    /// Four at a time, so that two processors are enough.
    private func family(_ lab: ProcessLab) async throws -> [NodeProcess] {
      var children: [NodeProcess] = []
      for start in stride(from: 0, to: Self.workers, by: 4) {
        children += try await withThrowingTaskGroup(of: NodeProcess.self) { group in
          for number in start..<(start + 4) {
            group.addTask { try await lab.runningNode(.child, "Child \(number)") }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      }
      return children
    }

    /// All faults, those that take long first.
    ///
    /// Where the frames are is seen from one pairing of each kind.
    private func faults(
      _ parent: NodeProcess, _ child: NodeProcess, _ random: inout SeededRandom
    ) async throws -> [LinkFault] {
      var kinds: [(Bool, LinkFault.Kind)] = []
      for isTyped in [false, true] {
        let middle = try Middle(to: try await parent.port(), from: "127.99.0.1")
        let code = try await child.lab.invite(parent).text(isTyped: isTyped)
        #expect(try await child.lab.join(child, code, peer: middle.address).outcome == .ok)
        try await Self.part(parent, child)
        let recording = try #require(middle.pairings.first)
        #expect(recording.bodies(.toInviter).count == (isTyped ? 5 : 4))
        #expect(recording.bodies(.toJoiner).count == (isTyped ? 5 : 4))
        for direction in Direction.allCases {
          var positions: Set<Int> = []
          var end = direction == .toInviter ? recording.preamble.count : 0
          if end > 0 { positions.formUnion([end - 1, end, end + 1]) }
          for (frame, body) in recording.bodies(direction).enumerated() {
            end += 2 + body.count
            positions.formUnion([end - 1, end, end + 1])
            kinds += LinkFault.Forgery.allCases.map { (isTyped, .forged(direction, frame: frame, $0)) }
            kinds.append((isTyped, .silence(direction, frame: frame)))
          }
          for _ in 0..<(Self.positions / 2) { positions.insert(random.below(end)) }
          kinds += positions.sorted().map { (isTyped, .cut(direction, bytes: $0)) }
        }
      }
      let faults = kinds.enumerated().map { number, kind in
        LinkFault(isTyped: kind.0, kind: kind.1, source: "127.100.\(number / 200).\(1 + number % 200)")
      }
      // A part of them is a sample that changes with the seed.
      let tried = Length.pick(faults.shuffled(using: &random).prefix(36), thorough: faults[...])
      let (long, short) = (tried.filter(\.isLong), tried.filter { !$0.isLong })
      return long.shuffled(using: &random) + short.shuffled(using: &random)
    }

    /// One attempt with a fault; afterwards the two are strangers again.
    private static func suffer(
      _ fault: LinkFault, _ parent: NodeProcess, _ child: NodeProcess, _ lab: ProcessLab
    ) async throws {
      let middle = try fault.middle(to: try await parent.port())
      let code = try await lab.invite(parent)
      let joining = try await child.api.ask(
        Endpoints.join, JoinRequest(code: code.text(isTyped: fault.isTyped), peer: middle.address))
      if fault.leavesJoinerAsking {
        // The inviter's time-out says so; the joiner's person may be waiting for the other one, and
        // breaks off.
        let left = try await lab.follow(code.id, at: parent) { $0.phase == .waiting && $0.sentence != nil }
        #expect(left.sentence?.hasSuffix(".") == true, "\(fault): \(left)")
        #expect(try await lab.asked(joining.pairingID, at: child).phase == .asking, "\(fault)")
        _ = try await child.api.ask(Endpoints.cancelPairing, joining.pairingID)
      }
      let ended = try await lab.follow(joining.pairingID, at: child) { _ in false }
      let outcome = try #require(ended.outcome, "\(fault)")
      #expect(ended.sentence?.hasSuffix(".") == true, "\(fault): \(ended)")
      #expect(fault.possibleOutcomes.contains(outcome), "\(fault): \(ended)")
      #expect(outcome != .ok || !fault.mustFail, "\(fault): \(ended)")
      if fault.isSilence {
        // The inviter has heard nothing more either: it has given up or, if it sent the last
        // message, is done.
        try await eventually("\(fault): the inviter is done") {
          try await parent.api.ask(Endpoints.getPairings).first { $0.pairingID == code.id }?.phase ?? .waiting
            == .waiting
        }
        middle.heal()
        // The connection works again, so the joiner asks for the result immediately.
        try await child.restart()
      }
      let id = try await child.api.ask(Endpoints.getStatus).deviceID
      let isListed = try await parent.api.ask(Endpoints.getDevices).contains { $0.device.deviceID == id }
      if outcome == .ok || isListed {
        try await eventually("\(fault): the child is connected") { try await child.isConnected() }
        try await eventually("\(fault): the parent is connected") {
          try await parent.api.ask(Endpoints.getDevices).contains { $0.device.deviceID == id && $0.isConnected }
        }
        try await part(parent, child)
      } else {
        #expect(try await child.api.ask(Endpoints.getDevices).isEmpty, "\(fault)")
      }
      _ = try? await parent.api.ask(Endpoints.cancelPairing, code.id)
    }

    /// Makes both nodes forget each other, without a message.
    private static func part(_ parent: NodeProcess, _ child: NodeProcess) async throws {
      _ = try await parent.api.ask(Endpoints.forgetDevice, "\(try await child.api.ask(Endpoints.getStatus).deviceID)")
      _ = try await child.api.ask(Endpoints.forgetDevice, "\(try await parent.api.ask(Endpoints.getStatus).deviceID)")
    }

    /// Checks that a minute after the last attempt neither side holds half of a pairing.
    private func agreeInTheEnd(_ parent: NodeProcess, _ children: [NodeProcess]) async throws {
      // The minute passes while the parent is off.
      _ = await parent.terminate()
      try parent.edit {
        try $0.execute(
          sql: "UPDATE peer SET pending_since_boot = pending_since_boot - ? WHERE pending_key IS NOT NULL",
          arguments: [Limits.pairingCommitMilliseconds])
      }
      try await parent.start()
      try await eventually("what was half made at the parent is over") {
        try parent.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer WHERE pending_key IS NOT NULL") } == 0
      }
      #expect(try await parent.api.ask(Endpoints.getDevices).isEmpty)
      for child in children { #expect(try await child.api.ask(Endpoints.getDevices).isEmpty) }
      _ = await parent.terminate()
      let states = try parent.read { try Int.fetchSet($0, sql: "SELECT DISTINCT state FROM peer") }
      #expect(states.isSubset(of: [4]), "only what was paired and forgotten has left a row")
    }
  }
}
