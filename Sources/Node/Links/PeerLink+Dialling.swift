import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

extension PeerLink {
  /// Keep a session with the peer for as long as it is paired: dial, wait, dial again. Spec: Protocol/04-session.md §5.
  func run() async {
    while !Task.isCancelled, !isEnded {
      let (seen, alive) = (wake.version, life.version)
      if current != nil || attempt != nil {
        await wake.wait(after: seen)
        // Whoever began it: two machines that cannot go on must not go round in a circle.
        if current == nil, attempt == nil, pace.hasFallenApart {
          await pause(pace.fellApart(jitter: Double.random(in: 0...1)), alive)
        }
        continue
      }
      let candidates = candidates
      guard !candidates.isEmpty, isWorthCalling else {
        await wake.wait(after: seen)
        continue
      }
      isDialling = true
      context.syncChanges.notify()
      let outcome = await dial(candidates)
      isDialling = false
      guard !isEnded, !Task.isCancelled else { return }
      let delay: Int64
      switch outcome {
      case .served:
        delay = pace.served(jitter: Double.random(in: 0...1))
      case .failed(let reason), .silent(let reason):
        if current == nil { lastError = reason }
        delay = pace.failed(jitter: Double.random(in: 0...1))
        if case .silent = outcome { await metSilence() }
      }
      if current == nil { await pause(delay, alive) }
    }
  }

  /// Wait before the next try, less long when there was a sign of life since `alive`, but never in a tight circle.
  private func pause(_ delay: Int64, _ alive: UInt64) async {
    let begun = context.now()
    nextTry = begun + delay
    context.syncChanges.notify()
    await life.wait(after: alive, milliseconds: delay)
    let rest = DialPace.shortest - (context.now() - begun)
    if rest > 0, !isEnded { try? await Task.sleep(for: .milliseconds(rest)) }
  }

  private enum DialOutcome: Sendable {
    /// A session was opened, and has ended since.
    case served
    case failed(String)
    /// Somebody is there and closes without a word: another device, or one that does not know us any more.
    case silent(String)

    /// Why nothing came of it, when that says something about the address.
    var fault: String? {
      switch self {
      case .served: nil
      case .failed(let reason), .silent(let reason): reason == "given up" ? nil : reason
      }
    }
  }

  /// Try addresses 250 ms apart; the first that is authenticated wins. Gives the outcome when it is over.
  private func dial(_ candidates: [SocketEndpoint]) async -> DialOutcome {
    let (held, offered) = (record.callingKeys, record.pendingKey)
    let pairwiseKeys = held.compactMap { try? PresharedKey(bytes: $0) }
    guard !held.isEmpty, pairwiseKeys.count == held.count else { return .failed("There is no key for this device.") }
    let winner = DialWinner()
    let (own, key) = (context.link, key)
    return await withTaskGroup(of: DialOutcome.self) { group in
      for (index, endpoint) in candidates.prefix(8).enumerated() {
        group.addTask {
          if index > 0 { try? await Task.sleep(for: .milliseconds(250 * index)) }
          guard !Task.isCancelled, !winner.isChosen else { return .failed("given up") }
          let outcome: DialOutcome
          do {
            outcome = try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
              let handshake = SessionInitiator(
                own: own, peer: key, pairwiseKeys: pairwiseKeys, ephemeralKey: LinkKeyPair.generate())
              connection.send(handshake.firstFrame)
              guard let answer = await frames.next() else {
                return .silent(
                  "\(endpoint) answered nothing: it is another device, or has forgotten this one; if so, run "
                    + "`latchkey pair` on both.")
              }
              guard let (transport, place) = try? handshake.answered(answer) else {
                return .failed("\(endpoint) is not the paired device.")
              }
              guard winner.choose() else { return .failed("given up") }
              connection.authenticated()
              await self.serve(
                connection, frames, transport, isInitiator: true, pairwiseKey: held[place], offeredKey: offered,
                ticket: nil)
              return .served
            }
          } catch { outcome = .failed("\(error): check that `latchkey run` is running there.") }
          if let reason = outcome.fault, !winner.isChosen { await self.noteFailure(endpoint, reason) }
          return outcome
        }
      }
      var reason = "No address of this device is known."
      var (wasServed, wasSilent) = (false, false)
      for await outcome in group {
        switch outcome {
        case .served:
          wasServed = true
          group.cancelAll()
        case .silent(let why):
          wasSilent = true
          reason = why
        case .failed(let why): if why != "given up", !wasSilent { reason = why }
        }
      }
      return wasServed ? .served : wasSilent ? .silent(reason) : .failed(reason)
    }
  }
}
