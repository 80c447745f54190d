import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport
import Synchronization
import Testing

/// Tests of frames over real sockets on loopback, and of the limits for strangers.
@Suite struct ListenerTests {
  /// Runs `body` against a listener that answers every frame with itself, and lifts the stranger's
  /// limits on the frame [1].
  private func withEcho(_ body: @Sendable (SocketEndpoint) async throws -> Void) async throws {
    let listener = try await Listener(interfaces: ["lo"], port: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await listener.run { connection, _, frames, ticket in
          while let frame = await frames.next() {
            if frame == [1] {
              connection.authenticated()
              ticket.release()
            }
            connection.send(frame)
          }
        }
      }
      try await body(SocketEndpoint(host: "127.0.0.1", port: listener.port))
      group.cancelAll()
    }
  }

  @Test func framesOfEverySizeComeWhole() async throws {
    try await withEcho { endpoint in
      let sizes = [1, 2, 255, 256, 4_096, 65_535]
      let answers = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.send([1])
        _ = await frames.next()
        connection.authenticated()
        for size in sizes { connection.send([UInt8](repeating: 7, count: size)) }
        var answers: [Int] = []
        while answers.count < sizes.count, let frame = await frames.next() { answers.append(frame.count) }
        return answers
      }
      #expect(answers == sizes)
    }
  }

  @Test func aStrangersLongFrameEndsItsConnection() async throws {
    try await withEcho { endpoint in
      let answer = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.send([UInt8](repeating: 7, count: Limits.strangerBytes))
        return await frames.next()
      }
      #expect(answer == nil)
    }
  }

  @Test func aStrangersManyFramesEndItsConnection() async throws {
    try await withEcho { endpoint in
      let received = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.authenticated()
        for _ in 0..<10 { connection.send([UInt8](repeating: 7, count: 1_000)) }
        var received = 0
        while let frame = await frames.next() { received += frame.count }
        return received
      }
      #expect(received <= Limits.strangerBytes)
    }
  }

  @Test func theNinthStrangerFromOneAddressIsTurnedAway() async throws {
    try await withEcho { endpoint in
      let (held, release) = AsyncStream<Void>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (ready, tell) = AsyncStream<Void>.makeStream()
        for _ in 0..<Limits.strangersPerSource {
          group.addTask {
            try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
              connection.send([2])
              // The answer shows that the listener has given the place.
              _ = await frames.next()
              tell.yield()
              for await _ in held {}
            }
          }
        }
        var iterator = ready.makeAsyncIterator()
        for _ in 0..<Limits.strangersPerSource { await iterator.next() }
        let answer = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
          connection.send([3])
          return await frames.next()
        }
        #expect(answer == nil)
        release.finish()
        try await group.waitForAll()
      }
    }
  }

  @Test func whoHasProvedItselfGivesItsPlaceBack() async throws {
    try await withEcho { endpoint in
      let (held, release) = AsyncStream<Void>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (ready, tell) = AsyncStream<Void>.makeStream()
        for _ in 0..<Limits.strangersPerSource * 2 {
          group.addTask {
            try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
              connection.send([1])
              #expect(await frames.next() == [1])
              tell.yield()
              for await _ in held {}
            }
          }
          // One after another, so that never more than one is a stranger.
          var iterator = ready.makeAsyncIterator()
          await iterator.next()
        }
        release.finish()
        try await group.waitForAll()
      }
    }
  }

  /// Both addresses of loopback are announced, so another program must not answer at one of them.
  @Test func aPortThatIsTakenAtOneLoopbackAddressIsTaken() async throws {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return bind(descriptor, pointer, size) == 0 && listen(descriptor, 1) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
    // A machine without IPv6 has no such address.
    guard isListening else { return }
    let port = UInt16(bigEndian: address.sin6_port)
    await #expect(throws: TransportError.portInUse(port)) {
      _ = try await Listener(interfaces: ["lo"], port: port)
    }
  }

  @Test func anInterfaceThatIsMissingIsNamed() async throws {
    await #expect(throws: TransportError.noInterface("nope")) {
      _ = try await Listener(interfaces: ["lo", "nope"], port: 0)
    }
  }

  @Test func aPortInUseIsNamed() async throws {
    let first = try await Listener(interfaces: ["lo"], port: 0)
    await #expect(throws: TransportError.portInUse(first.port)) {
      _ = try await Listener(interfaces: ["lo"], port: first.port)
    }
    // Nothing runs it: let it go.
    let task = Task { await first.run { _, _, _, _ in } }
    task.cancel()
    await task.value
  }

  /// A node that goes on without one of its sockets would look as if it were well.
  @Test func aSocketThatTheSystemEndsEndsAll() async throws {
    let listener = try await Listener(interfaces: ["lo"], port: 0)
    let task = Task { await listener.run { _, _, frames, _ in while await frames.next() != nil {} } }
    let descriptors = Self.listening(at: listener.port)
    #expect(descriptors.count == listener.addresses.count)
    // The kernel refuses the next accept, as it does when an interface's socket is gone.
    shutdown(try #require(descriptors.first), CInt(SHUT_RDWR))
    await task.value
    let other = SocketEndpoint(host: "127.0.0.1", port: listener.port)
    await #expect(throws: TransportError.self) {
      try await Dialer().withConnection(to: other, preamble: .session) { _, _ in }
    }
  }

  /// The descriptors of this process that listen at a port.
  private static func listening(at port: UInt16) -> [CInt] {
    (3..<1_024).filter { descriptor in
      var (isListening, size) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
      guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0 else {
        return false
      }
      var address = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
      }
      // The port is at the same place for both versions of IP.
      return isKnown && UInt16(bigEndian: address.sin6_port) == port
    }
  }
}
