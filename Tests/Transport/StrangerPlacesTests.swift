import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport
import Testing

/// Tests of the places for strangers, over real sockets on loopback.
@Suite(.timeLimit(.minutes(5))) struct StrangerPlacesTests {
  /// Runs `body` while a listener serves, which sends every frame back that it gets.
  private func withEcho(_ body: @Sendable @escaping (SocketEndpoint, Places) async throws -> Void) async throws {
    let listener = try await Listener(interfaces: ["lo"], port: 0)
    let places = Places()
    let endpoint = SocketEndpoint(host: "127.0.0.1", port: listener.port)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await listener.run { connection, preamble, frames, ticket in
          if preamble != .session {
            connection.authenticated()
            ticket.release()
          }
          places.take()
          while let frame = await frames.next() { connection.send(frame) }
        }
      }
      group.addTask { try await body(endpoint, places) }
      // The listener runs until it is cancelled; what ends first is the test.
      try await group.next()
      group.cancelAll()
    }
  }

  @Test("Frames of any size are exchanged in order, and unauthenticated ones are limited to 4 KiB")
  func echo() async throws {
    try await withEcho { endpoint, _ in
      let sizes = [1, 2, 300, 65_535, 65_535, 7]
      let echoed = try await Dialer().withConnection(to: endpoint, preamble: .pairing(discriminator: 1)) {
        connection, frames in
        connection.authenticated()
        // With the answer to the first it is known over there.
        connection.send([0])
        guard await frames.next() != nil else { return [Int]() }
        for size in sizes { connection.send([UInt8](repeating: UInt8(size & 0xFF), count: size)) }
        var echoed: [Int] = []
        while echoed.count < sizes.count, let frame = await frames.next() { echoed.append(frame.count) }
        return echoed
      }
      #expect(echoed == sizes)
      let refused = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.send([UInt8](repeating: 1, count: Limits.strangerBytes))
        return await frames.next()
      }
      #expect(refused == nil)
    }
  }

  @Test(
    "Eight unauthenticated connections of one address are accepted and the ninth refused; authenticated ones do not count"
  )
  func places() async throws {
    try await withEcho { endpoint, places in
      // Ten known ones take no place of a stranger's once they are known.
      try await withThrowingTaskGroup(of: Void.self) { group in
        let known = Gate()
        for number in 1...10 {
          group.addTask {
            try await Dialer().withConnection(to: endpoint, preamble: .pairing(discriminator: 1)) {
              connection, frames in
              connection.send([1])
              _ = await frames.next()
              await known.arrive()
              await known.opened()
            }
          }
          await known.wait(for: number)
        }
        let strangers = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<Limits.strangersPerSource {
            group.addTask {
              try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
                connection.send([1])
                _ = await frames.next()
                await strangers.arrive()
                await strangers.opened()
              }
            }
          }
          await strangers.wait(for: Limits.strangersPerSource)
          let ninth = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
            connection.send([1])
            return await frames.next()
          }
          #expect(ninth == nil)
          await strangers.open()
          try await group.waitForAll()
        }
        await known.open()
        try await group.waitForAll()
      }
      // Every one that was let in was served, and the ninth was not.
      #expect(places.count == 10 + Limits.strangersPerSource)
    }
  }

  @Test("A listener that stops while connections arrive stops cleanly")
  func endsWhileConnectionsComeIn() async throws {
    for _ in 0..<20 {
      let listener = try await Listener(interfaces: ["lo"], port: 0)
      let endpoint = SocketEndpoint(host: "127.0.0.1", port: listener.port)
      let come = Gate()
      await withTaskGroup(of: Void.self) { group in
        let serving = Task { await listener.run { _, _, frames, _ in while await frames.next() != nil {} } }
        for _ in 0..<40 {
          group.addTask {
            await come.arrive()
            // It may be served, or closed because the listener has stopped; both are correct here.
            _ = try? await Dialer().withConnection(to: endpoint, preamble: .session) { _, _ in }
          }
        }
        await come.wait(for: 20)
        serving.cancel()
        await serving.value
        await group.waitForAll()
      }
    }
  }

  @Test("A port in use is reported")
  func portInUse() async throws {
    let first = try await Listener(interfaces: ["lo"], port: 0)
    await #expect(throws: TransportError.portInUse(first.port)) {
      try await Listener(interfaces: ["lo"], port: first.port)
    }
    #expect(first.addresses.first == "127.0.0.1:\(first.port)")
  }

  @Test("A connection without a listener is reported with a sentence")
  func nobody() async throws {
    let listener = try await Listener(interfaces: ["lo"], port: 0)
    let endpoint = SocketEndpoint(host: "127.0.0.1", port: listener.port)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run { _, _, _, _ in } }
      group.cancelAll()
    }
    await #expect(throws: TransportError.cannotConnect(endpoint, "nothing listens there")) {
      try await Dialer().withConnection(to: endpoint, preamble: .session) { _, _ in }
    }
  }
}
