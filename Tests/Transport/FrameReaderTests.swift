import Glibc
import LatchkeyModel
import LatchkeyProtocol
import Testing

@testable import LatchkeyTransport

/// Tests of the reading half of a connection, over real sockets on loopback.
@Suite struct FrameReaderTests {
  /// Runs `body` against a listener that gives each connection to `serve`.
  private func withListener(
    _ serve: @escaping @Sendable (FrameConnection, FrameReader) async -> Void,
    _ body: @Sendable (SocketEndpoint) async throws -> Void
  ) async throws {
    let listener = try await Listener(interfaces: ["lo"], port: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await listener.run { connection, _, frames, _ in
          connection.authenticated()
          await serve(connection, frames)
        }
      }
      try await body(SocketEndpoint(host: "127.0.0.1", port: listener.port))
      group.cancelAll()
    }
  }

  @Test("The sender is held up while the receiver does not read, and all frames arrive in order when it does")
  func holdUp() async throws {
    // More than the kernel keeps for two sockets.
    let (count, size) = (600, 65_535)
    let (gate, reached) = (Gate(), Gate())
    try await withListener { connection, frames in
      if case [1]? = await frames.next() {
        while let frame = await frames.next() { connection.send(frame) }
      } else {
        await reached.arrive()
        await gate.opened()
        #expect(frames.waitingPieces < 20)
        var next = 0
        while let frame = await frames.next() {
          #expect(frame.count == size && frame[0] == UInt8(next % 256))
          next += 1
          if next == count { break }
        }
        connection.send([UInt8(next / 256), UInt8(next % 256)])
        _ = await frames.next()
      }
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.send([2])
        connection.authenticated()
        await reached.wait(for: 1)
        for number in 0..<count { connection.send([UInt8](repeating: UInt8(number % 256), count: size)) }
        // Another connection comes and goes a thousand times meanwhile.
        let isEchoed = try? await Dialer().withConnection(to: endpoint, preamble: .session) { other, echoes in
          other.send([1])
          for number in 0..<1_000 {
            other.send([UInt8(number % 200), 0])
            guard await echoes.next() == [UInt8(number % 200), 0] else { return false }
          }
          return true
        }
        #expect(isEchoed == true)
        #expect(connection.unsentBytes > 0)
        #expect(!connection.isWritable)
        await gate.open()
        #expect(await frames.next() == [UInt8(count / 256), UInt8(count % 256)])
        #expect(connection.isWritable)
      }
    }
  }

  @Test("A connection that was handed over continues after its first handler returned, until it is closed")
  func handOver() async throws {
    let (taken, take) = AsyncStream<(FrameConnection, FrameReader)>.makeStream()
    try await withListener { connection, frames in
      connection.handOver()
      take.yield((connection, frames))
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        var iterator = taken.makeAsyncIterator()
        guard let (other, others) = await iterator.next() else { return }
        connection.send([7])
        #expect(await others.next() == [7])
        other.send([8])
        #expect(await frames.next() == [8])
        await other.end()
        #expect(await frames.next() == nil)
        #expect(await others.next() == nil)
      }
    }
  }

  @Test("The connection of a call continues as well after it was handed over")
  func handOverOfACall() async throws {
    try await withListener { connection, frames in
      while let frame = await frames.next() { connection.send(frame) }
    } _: { endpoint in
      let (connection, frames) = try await Dialer().withConnection(to: endpoint, preamble: .session) {
        $0.handOver()
        return ($0, $1)
      }
      connection.send([7])
      #expect(await frames.next() == [7])
      await connection.end()
      #expect(await frames.next() == nil)
    }
  }

  @Test("A reader that is told to stop returns no further frame, nor does a cancelled task")
  func stop() async throws {
    try await withListener { connection, frames in
      while let frame = await frames.next() { connection.send(frame) }
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        let waiting = Task { await frames.next() }
        frames.stop()
        #expect(await waiting.value == nil)
        #expect(await frames.next() == nil)
      }
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        let waiting = Task { await frames.next() }
        waiting.cancel()
        #expect(await waiting.value == nil)
      }
    }
  }

  @Test("Frames that arrived before the end of a connection are still read")
  func lastWords() async throws {
    try await withListener { connection, _ in
      for number in 1...5 { connection.send([UInt8(number)]) }
      connection.close()
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        var read: [[UInt8]] = []
        while let frame = await frames.next() { read.append(frame) }
        #expect(read == [[1], [2], [3], [4], [5]])
      }
    }
  }

  @Test("A time limit that ends as a frame arrives loses neither that frame nor later ones")
  func timeIsUp() async throws {
    try await withListener { connection, frames in
      while let frame = await frames.next() { connection.send(frame) }
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        let before = frames.position
        connection.send([1])
        // The frame has arrived, and was not read.
        while frames.waitingPieces == 0 { await Task.yield() }
        frames.stop(unlessPast: before)
        #expect(await frames.next() == [1])
        // The alarm rings after the frame was returned and before it is cancelled.
        frames.stop(unlessPast: before)
        connection.send([2])
        #expect(await frames.next() == [2])
        // Nothing has come since.
        frames.stop(unlessPast: frames.position)
        #expect(await frames.next() == nil)
      }
    }
  }

  @Test("A connection that is closed with unread bytes still delivers its last frames")
  func lastWordsBesideUnreadBytes() async throws {
    let size = 60_000
    try await withListener { connection, frames in
      // Both sides are authenticated from now on.
      connection.send([0])
      // The other side goes on sending: what it sends after this is unread at the close.
      _ = await frames.next()
      for number in 1...5 { connection.send([UInt8(number)]) }
      connection.close()
    } _: { endpoint in
      try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        connection.authenticated()
        #expect(await frames.next() == [0])
        for _ in 0..<100 { connection.send([UInt8](repeating: 7, count: size)) }
        var read: [[UInt8]] = []
        while let frame = await frames.next() { read.append(frame) }
        #expect(read == [[1], [2], [3], [4], [5]])
      }
    }
  }

  @Test("A peer that stays silent and does not close is disconnected")
  func noLastWord() async throws {
    let (ended, end) = AsyncStream<Void>.makeStream()
    try await withListener { connection, frames in
      connection.close()
      connection.close()
      while await frames.next() != nil {}
      end.finish()
    } _: { endpoint in
      // A socket that neither reads nor closes.
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = endpoint.port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let preamble = Preamble.session.bytes
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      #expect(isConnected && write(descriptor, preamble, preamble.count) == preamble.count)
      for await _ in ended {}
    }
  }
}
