import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeyTestSupport
import LatchkeyTransport
import Testing

extension ProcessTests {
  /// Tests of unauthenticated connections: no answer, a closed connection, and no effect on the
  /// family.
  @Suite struct StrangerTests {
    /// Runs an attack on the parent, then checks that it serves its child as before.
    private func besiege(_ assault: (NodeProcess, UInt16, ProcessLab) async throws -> Void) async throws {
      try await ProcessLab.run { lab in
        let (parent, child) = try await lab.pairedFamily()
        let pid = await parent.pid
        try await assault(parent, try await parent.port(), lab)
        let id = try await parent.issue(.message("still here"), to: "Emma's PC")
        #expect(try await parent.ended(id).status == .executed)
        try await child.restart()
        let again = try await parent.issue(.message("still here"), to: "Emma's PC")
        #expect(try await parent.ended(again).status == .executed)
        #expect(try await parent.api.ask(Endpoints.getStatus).processID == pid)
      }
    }

    @Test("A frame that is longer than an unauthenticated peer may send is refused by its length")
    func longFrame() async throws {
      try await besiege { _, port, _ in
        for length in [[0xFF, 0xFF], [0x10, 0x01]] as [[UInt8]] {
          let socket = try RawSocket(port: port)
          socket.send(Preamble.session.bytes + length)
          #expect(await socket.untilClosed().isEmpty)
        }
      }
    }

    @Test("Random bytes get no answer, whether or not they begin like a connection")
    func randomBytes() async throws {
      var random = SeededRandom()
      let streams = (0..<40).map { number in
        [Preamble.session.bytes, Preamble.pairing(discriminator: 7).bytes, []][number % 3]
          + random.bytes(1 + random.below(6_000))
      }
      let note = random.note
      try await besiege { _, port, _ in
        for stream in streams {
          let socket = try RawSocket(port: port)
          socket.send(stream)
          socket.finish()
          #expect(await socket.untilClosed().isEmpty, "\(note)")
        }
      }
    }

    @Test("A valid handshake with an unpaired key, or with a paired key and a wrong PSK, gets no answer")
    func unpairedKey() async throws {
      try await besiege { parent, port, _ in
        let keys = try KeyFileStore(path: parent.folder + "/identity.key").load()
        let own = LinkKeyPair.generate()
        let answers = try await Dialer().withConnection(
          to: SocketEndpoint(host: "127.0.0.1", port: port), preamble: .session
        ) { connection, frames in
          let handshake = SessionInitiator(
            own: own, peer: keys.link.publicKey, pairwiseKey: .generate(), ephemeralKey: .generate())
          connection.send(handshake.firstFrame)
          var count = 0
          while await frames.next() != nil { count += 1 }
          return count
        }
        #expect(answers == 0)
        #expect(parent.log.contains("a device that is not paired was refused"))
      }
    }

    @Test("A connection without input is closed by the node, which frees its place")
    func halfOpen() async throws {
      try await besiege { _, port, _ in
        let silent = try RawSocket(port: port)
        let preamble = try RawSocket(port: port)
        preamble.send(Preamble.session.bytes)
        let half = try RawSocket(port: port)
        half.send(Preamble.session.bytes + [0, 96, 1, 2, 3])
        for socket in [silent, preamble, half] { #expect(await socket.untilClosed().isEmpty) }
      }
    }

    @Test(
      "More than eight unauthenticated connections of one address are refused until one ends; the paired peer stays")
    func tooMany() async throws {
      try await besiege { parent, port, lab in
        var held: [RawSocket] = []
        for _ in 0..<Limits.strangersPerSource { held.append(try RawSocket(port: port)) }
        // Each is let in before the ninth knocks: they are taken in their order.
        let ninth = try RawSocket(port: port)
        #expect(await ninth.untilClosed().isEmpty)
        #expect(try await parent.isConnected())
        held.removeAll()
        // A place is free again: what sends a whole handshake is heard, and only then turned away.
        let keys = try KeyFileStore(path: parent.folder + "/identity.key").load()
        let before = parent.log.ranges(of: "is not paired").count
        let own = LinkKeyPair.generate()
        try await eventually("a stranger is heard again") {
          _ = try? await Dialer().withConnection(
            to: SocketEndpoint(host: "127.0.0.1", port: port), preamble: .session
          ) { connection, frames in
            let handshake = SessionInitiator(
              own: own, peer: keys.link.publicKey, pairwiseKey: .generate(), ephemeralKey: .generate())
            connection.send(handshake.firstFrame)
            while await frames.next() != nil {}
          }
          return parent.log.ranges(of: "is not paired").count > before
        }
      }
    }

    @Test("Thousands of unauthenticated connections leave no memory behind")
    func memory() async throws {
      try await besiege { parent, port, _ in
        func storm(_ count: Int) async throws {
          for number in 0..<count {
            let socket = try RawSocket(port: port)
            socket.send(number.isMultiple(of: 2) ? [1, 2, 3, 4, 5, 6, 7] : Preamble.session.bytes + [0xFF, 0xFF])
            _ = await socket.untilClosed()
          }
        }
        // Memory that is allocated only once is not counted.
        try await storm(300)
        let before = try await parent.api.ask(Endpoints.getStatus).residentBytes
        try await storm(2_000)
        let after = try await parent.api.ask(Endpoints.getStatus).residentBytes
        #expect(after - before < 16 << 20, "\(before) bytes grew to \(after)")
      }
    }
  }
}
