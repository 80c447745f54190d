import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

/// Outgoing calls, and the reading of connections.
extension PeerLink {
  /// Takes over a session that the peer began, after its handshake.
  func serve(
    _ connection: FrameConnection, _ frames: FrameReader, _ transport: NoiseTransport, pairwiseKey: [UInt8],
    ticket: StrangerTicket
  ) {
    let seat = LinkSeat(connection: connection, cipher: SessionCipher(transport), ticket: ticket)
    take(seat, frames) { $0.accepted(SessionEnds(connection), pairwiseKey: pairwiseKey, now: $1) }
  }

  /// Calls an address.
  ///
  /// Spec: Protocol/04-session.md §2, §9.
  func call(_ number: Int, _ endpoint: SocketEndpoint, _ keys: [[UInt8]], _ offered: [UInt8]?) {
    let attempt = DialAttempt()
    calls[number] = attempt
    spawn(waitsForPeer: true) { link in
      let outcome = await link.dial(number, endpoint, keys, offered, attempt)
      guard let outcome else { return }
      await link.callEnded(number, outcome)
    }
  }

  private func callEnded(_ number: Int, _ outcome: CallOutcome) {
    calls[number] = nil
    machine.surroundings = Self.surroundings(context)
    update { $0.callEnded(number, outcome, now: $1) }
  }

  /// Returns the outcome of a call; `nil` if it led to a session, which has ended by then, or is no
  /// longer needed.
  private func dial(
    _ number: Int, _ endpoint: SocketEndpoint, _ keys: [[UInt8]], _ offered: [UInt8]?, _ attempt: DialAttempt
  ) async -> CallOutcome? {
    let (own, key) = (context.link, key)
    let held = keys.compactMap { try? PresharedKey(bytes: $0) }
    guard held.count == keys.count else { return .failed("There is no key for this device.") }
    do {
      return try await Dialer().withConnection(to: endpoint, preamble: .session, attempt: attempt) {
        connection, frames in
        let handshake = SessionInitiator(own: own, peer: key, pairwiseKeys: held, ephemeralKey: LinkKeyPair.generate())
        connection.send(handshake.firstFrame)
        guard let answer = await frames.next() else {
          return .silent(
            "\(endpoint) did not answer: it is another device, or no longer knows this one; if so, run "
              + "`latchkey pair` on both.")
        }
        guard let (transport, place) = try? handshake.answered(answer) else {
          return .failed("\(endpoint) is not the paired device.")
        }
        await self.serve(number, connection, frames, transport, pairwiseKey: keys[place], offered)
        return nil
      }
    } catch {
      return .unreachable("\(error): check that `latchkey run` is running there.")
    }
  }

  /// Takes over the session of a successful call, if it is still needed.
  private func serve(
    _ call: Int, _ connection: FrameConnection, _ frames: FrameReader, _ transport: NoiseTransport,
    pairwiseKey: [UInt8], _ offered: [UInt8]?
  ) {
    calls[call] = nil
    let seat = LinkSeat(connection: connection, cipher: SessionCipher(transport), ticket: nil)
    let ends = SessionEnds(connection)
    take(seat, frames) { $0.opened(call: call, ends, pairwiseKey: pairwiseKey, offeredKey: offered, now: $1) }
  }

  /// Passes a session to the machine and reads it in a task of its own, which keeps nothing of the
  /// handshake.
  ///
  /// Closes the connection if it is not needed.
  private func take(_ seat: LinkSeat, _ frames: FrameReader, _ tell: (inout LinkMachine, BootInstant) -> Int?) {
    let (connection, ticket) = (seat.connection, seat.ticket)
    guard let number = open(seat, tell) else { return connection.close() }
    connection.handOver()
    let begun = directory.peerJobs.yield {
      await self.read(frames, number)
      ticket?.release()
      await connection.end()
    }
    guard case .terminated = begun else { return }
    ticket?.release()
    connection.abort()
  }

  /// Reads a connection to its end.
  ///
  /// The task keeps the frame of this function for as long as the connection is open, so whatever
  /// needs space is done in functions that do not wait.
  private func read(_ frames: FrameReader, _ number: Int) async {
    while let frame = await frames.next() {
      took(frame, number)
      while mustPause(number) { await withCheckedContinuation { pause(number, $0) } }
    }
    readToItsEnd(number)
  }

  @inline(never)
  private func took(_ frame: [UInt8], _ number: Int) {
    // Frames that were under way at the end of the session are read, so that the last message
    // sent is not lost.
    guard var seat = seats[number] else { return }
    do throws(SessionFault) {
      let batch = try seat.cipher.open(frame)
      seats[number] = seat
      update { $0.received(batch, on: number, now: $1) }
    } catch {
      update { $0.faulted(number, error, now: $1) }
    }
  }

  @inline(never)
  private func mustPause(_ number: Int) -> Bool { machine.holds(number) && !machine.wantsFrames(number) }

  @inline(never)
  private func pause(_ number: Int, _ continuation: CheckedContinuation<Void, Never>) {
    guard seats[number] != nil else { return continuation.resume() }
    seats[number]?.reader = continuation
  }

  @inline(never)
  private func readToItsEnd(_ number: Int) {
    update { $0.connectionEnded(number, now: $1) }
    seats[number] = nil
  }
}

extension SessionEnds {
  init(_ connection: FrameConnection) {
    self.init(remote: connection.remote, remoteHost: connection.remoteHost, localHost: connection.localHost)
  }
}

/// The connection of one session, with the cipher for its frames.
struct LinkSeat {
  let connection: FrameConnection
  var cipher: SessionCipher
  /// Its place among unauthenticated connections, until its first message is verified.
  let ticket: StrangerTicket?
  /// The task that reads its frames, while it must wait before the next one.
  var reader: CheckedContinuation<Void, Never>?
}

struct FailedTry: Sendable {
  /// The time in Unix milliseconds, for people only.
  var at: Int64
  var reason: String
  /// The time at which it was last stored, by the clock for decisions; `nil` if it was not.
  var notedAt: BootInstant?
}
