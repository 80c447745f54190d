import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import Testing

extension ProcessTests {
  /// Tests of an attacker that has recorded all traffic between two machines and replays it to
  /// both.
  @Suite struct ReplayTests {
    @Test(
      "A complete pairing and a session have no effect and get no information when replayed to either machine",
      arguments: [false, true])
    func everything(isTyped: Bool) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let middle = try Middle(to: try await parent.port())
        let code = try await lab.invite(parent)
        #expect(try await lab.join(child, code.text(isTyped: isTyped), peer: middle.address).outcome == .ok)
        try await eventually("they are connected") { try await child.isConnected() }
        let id = try await parent.issue(.message("once"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
        let (pairing, session) = (try #require(middle.pairings.first), try #require(middle.sessions.last))

        for node in [parent, child] {
          let port = try await node.port()
          // Both directions, to a port that takes connections: it need not be the one that was
          // called.
          for direction in Direction.allCases {
            let stream = try ByteStream(port: port, from: "127.0.0.50")
            stream.write((direction == .toJoiner ? pairing.preamble : []) + pairing.bytes(direction))
            #expect(await onThread { stream.readToEnd() }.isEmpty, "no code is open any more")
          }
          for direction in Direction.allCases {
            let stream = try ByteStream(port: port, from: "127.0.0.51")
            stream.write((direction == .toJoiner ? session.preamble : []) + session.bytes(direction))
            let answer = await onThread { stream.readToEnd() }
            // The one who was called then answers with a fresh key; the next frame is not of this
            // session.
            let isCallee = node === parent && direction == .toInviter
            #expect(answer.count == (isCallee ? 2 + 48 : 0))
            #expect(answer.isEmpty || answer.firstRange(of: session.bodies(.toJoiner)[0]) == nil)
          }
        }
        for node in [parent, child] { #expect(try await node.isConnected(), "nothing that was there is disturbed") }

        // Played to the child when it calls: its handshakes come to nothing, and it goes on
        // looking.
        let bodies = session.bodies(.toJoiner)
        let trap = try Interceptor()
        trap.start { stream in
          guard stream.read(6) != nil, stream.readFrame() != nil else { return }
          for body in bodies { stream.write(frame: body) }
          _ = stream.readToEnd()
        }
        middle.end()
        await child.kill()
        // The child knows where the parent listens, and would call it there.
        await parent.kill()
        try await child.start(["--no-discovery", "--peer", "127.0.0.1:\(trap.port)"])
        try await eventually("it has called") { trap.count > 1 }
        #expect(try await !child.isConnected())
        try await parent.start()
        let parentPort = try await parent.port()
        try await child.start(afterKilling: ["--no-discovery", "--peer", "127.0.0.1:\(parentPort)"])
        for node in [parent, child] {
          try await eventually("\(node.name) is connected") { try await node.isConnected() }
        }

        #expect(try await child.api.ask(Endpoints.getStatus).messages.map(\.text) == ["once"])
        for node in [parent, child] {
          #expect(try await node.api.ask(Endpoints.getDevices).count == 1)
          #expect(try await node.api.ask(Endpoints.getDevices).allSatisfy { $0.marks.isEmpty })
          #expect(try await node.api.ask(Endpoints.getStatus).warnings.isEmpty)
          #expect(try await node.api.ask(Endpoints.getPairings).isEmpty)
        }
        for node in [parent, child] {
          _ = await node.terminate()
          #expect(try node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM peer") } == 1)
        }
      }
    }
  }
}

extension NodeProcess {
  /// Kills the node and starts it with other options.
  fileprivate func start(afterKilling options: [String]) async throws {
    await kill()
    try await start(options)
  }
}
