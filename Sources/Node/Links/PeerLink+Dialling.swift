import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

extension PeerLink {
  /// Keep a session with the peer for as long as it is paired: dial, wait, dial again. Spec: Protocol/04-session.md §5.
  func run() async {
    while !Task.isCancelled, !isEnded {
      let (seen, alive) = (wake.version, life.version)
      if attempt != nil || current != nil && (replaceable == nil || replaceable == calledBeside) {
        await wake.wait(after: seen)
        // Whoever began it: two machines that cannot go on must not go round in a circle.
        if current == nil, attempt == nil, pace.hasFallenApart {
          await pause(pace.fellApart(jitter: Double.random(in: 0...1)), since: context.now(), alive)
        }
        continue
      }
      guard !candidates.isEmpty, isWorthCalling else {
        await wake.wait(after: seen)
        continue
      }
      // At most one race beside each session: if nobody wins it, the session lives or dies by itself.
      calledBeside = current
      isDialling = true
      context.syncChanges.notify()
      var begun = context.now()
      let outcome = await dial(beside: current)
      isDialling = false
      guard !isEnded, !Task.isCancelled else { return }
      let delay: Int64
      switch outcome {
      case .served:
        lostRaces = 0
        begun = context.now()
        delay = pace.served(jitter: Double.random(in: 0...1))
      case .unreachable(let reason):
        delay = pace.failed(jitter: Double.random(in: 0...1), isUnreachable: true, crowd: await crowd)
        lost(reason)
      case .failed(let reason), .silent(let reason):
        begun = context.now()
        delay = pace.failed(jitter: Double.random(in: 0...1))
        lost(reason)
        if case .silent = outcome { await metSilence() }
      case .void: delay = 0
      }
      if current == nil { await pause(delay, since: begun, alive) }
    }
  }

  /// The present session, if it is in doubt and has shown no sign of life for so long that another may take its place.
  var replaceable: Int? { current.flatMap { sessions[$0]?.machine.mayBeReplaced == true ? $0 : nil } }

  /// The session that was in doubt lives: the calls beside it are of no use.
  func standDown() {
    calledBeside = nil
    guard race != nil, race?.winner == nil else { return }
    isRaceVoid = true
    raceNews.notify()
  }

  private func lost(_ reason: String) {
    lostRaces &+= 1
    if current == nil { lastError = reason }
  }

  /// Machines that may be calling at the same moments as we do.
  private var crowd: Int { get async { max(context.nearby, context.crowd, await directory.count) } }

  /// Wait before the next try, less long when there was a sign of life since `alive`, but never in a tight circle.
  private func pause(_ delay: Int64, since begun: BootInstant, _ alive: UInt64) async {
    let now = context.now()
    nextTry = max(begun + delay, now)
    context.syncChanges.notify()
    if begun + delay > now { await life.wait(after: alive, milliseconds: begun + delay - now) }
    let waited = context.now() - now
    // Whoever was woken by a sign of life was perhaps woken with a thousand others.
    let spread =
      now + waited < begun + delay ? DialPace.spread(jitter: Double.random(in: 0...1), crowd: await crowd) : 0
    let rest = max(DialPace.shortest - waited, spread)
    if rest > 0, !isEnded { try? await Task.sleep(for: .milliseconds(rest)) }
  }

  private enum DialOutcome: Sendable {
    /// A session was opened, and has ended since.
    case served
    /// No connection came about.
    case unreachable(String)
    case failed(String)
    /// Somebody is there and closes without a word: another device, or one that does not know us any more.
    case silent(String)
    /// Another call was faster, or the network has changed under it.
    case void

    /// Why nothing came of it, when that says something about the address.
    var fault: String? {
      switch self {
      case .served, .void: nil
      case .unreachable(let reason), .failed(let reason), .silent(let reason): reason
      }
    }
  }

  /// What a call's task group waits for.
  private enum Turn: Sendable {
    case ended(call: Int, SocketEndpoint, DialOutcome)
    case timer
    case news
  }

  /// Have the addresses race; the first that is authenticated wins. Gives the outcome when its session is over.
  ///
  /// When that session is in doubt, the addresses race anew beside it, and a winner's session takes its place.
  ///
  /// - Parameter silent: the session in doubt beside which this race is, if there is one.
  private func dial(beside silent: Int?) async -> DialOutcome {
    let keys = record.callingKeys.compactMap { try? PresharedKey(bytes: $0) }
    guard !keys.isEmpty, keys.count == record.callingKeys.count else {
      return .failed("There is no key for this device.")
    }
    let news = raceNews
    servingCall = nil
    defer { race = nil }
    guard await beginRace(beside: silent) else { return .void }
    return await withTaskGroup(of: Turn.self) { group in
      defer { group.cancelAll() }
      func listen(after seen: UInt64) {
        group.addTask {
          await news.wait(after: seen)
          return .news
        }
      }
      listen(after: news.version)
      var timer: BootInstant?
      // Calls, and the first of the present race.
      var (calls, first) = (0, 1)
      var outcomes: [DialOutcome] = []
      while true {
        if race?.winner == nil {
          if isRaceVoid || race?.isOver == true {
            guard servingCall != nil else { return isRaceVoid ? .void : Self.sum(outcomes) }
            race = nil
          }
          if race == nil, let silent = replaceable, silent != calledBeside {
            calledBeside = silent
            (outcomes, first) = ([], calls + 1)
            _ = await beginRace(beside: silent)
          }
        }
        isRaceVoid = false
        for endpoint in race?.start(now: context.now()) ?? [] {
          calls += 1
          group.addTask { [calls] in .ended(call: calls, endpoint, await self.call(endpoint, keys, number: calls)) }
        }
        if let due = race?.nextTimer, due != timer {
          timer = due
          let wait = max(0, due - context.now())
          group.addTask {
            try? await Task.sleep(for: .milliseconds(wait))
            return .timer
          }
        }
        guard let turn = await group.next(), !Task.isCancelled else { return .void }
        switch turn {
        case .timer: timer = nil
        case .news: listen(after: news.version)
        case .ended(let call, let endpoint, let outcome):
          if call == servingCall {
            servingCall = nil
            // Else the race beside it goes on, as any that begins without a session.
            if race == nil { return outcome }
          } else if call == winningCall, race?.winner != nil {
            // The peer called in meanwhile, or the session in doubt lives.
            race = nil
            if servingCall == nil { return outcome }
          } else if call >= first {
            race?.failed(endpoint, now: context.now())
            if let fault = outcome.fault { await noteFailure(endpoint, fault) }
            outcomes.append(outcome)
          }
        }
      }
    }
  }

  /// Begin a race. Beside a session in doubt it begins a little later where many may do the same, and not at all (false) if
  /// the session was heard of meanwhile.
  private func beginRace(beside silent: Int?) async -> Bool {
    if silent != nil {
      let spread = DialPace.spread(jitter: Double.random(in: 0...1), crowd: await crowd)
      if spread > 0 { try? await Task.sleep(for: .milliseconds(spread)) }
    }
    // A disk that does not answer leaves the last address, and what is announced.
    if let known = try? await context.store.addresses(of: peer) { remembered = known }
    // From here on nothing waits: whatever makes the race void is said after this.
    guard silent == nil || replaceable == silent else { return false }
    isRaceVoid = false
    race = DialRace(candidates, now: context.now())
    return true
  }

  /// The session of a call that won is the one that is kept from now on.
  func serves(_ call: Int) {
    (race, servingCall) = (nil, call)
    raceNews.notify()
  }

  /// What a race came to that nobody won.
  private static func sum(_ outcomes: [DialOutcome]) -> DialOutcome {
    var sum = DialOutcome.failed("No address of this device is known.")
    for outcome in outcomes {
      switch (outcome, sum) {
      case (.void, _), (_, .silent), (.failed, .unreachable): continue
      default: sum = outcome
      }
    }
    return sum
  }

  /// Call one address, and run the session if it wins.
  private func call(_ endpoint: SocketEndpoint, _ keys: [PresharedKey], number: Int) async -> DialOutcome {
    let (held, offered, own, key) = (record.callingKeys, record.pendingKey, context.link, key)
    guard held.count == keys.count else { return .void }
    do {
      return try await Dialer().withConnection(to: endpoint, preamble: .session) { connection, frames in
        let handshake = SessionInitiator(
          own: own, peer: key, pairwiseKeys: keys, ephemeralKey: LinkKeyPair.generate())
        connection.send(handshake.firstFrame)
        guard let answer = await frames.next() else {
          return .silent(
            "\(endpoint) answered nothing: it is another device, or has forgotten this one; if so, run "
              + "`latchkey pair` on both.")
        }
        guard let (transport, place) = try? handshake.answered(answer) else {
          return .failed("\(endpoint) is not the paired device.")
        }
        guard await self.wins(endpoint, number) else { return .void }
        connection.authenticated()
        await self.serve(
          connection, frames, transport, isInitiator: true, pairwiseKey: held[place], offeredKey: offered, ticket: nil,
          call: number)
        return .served
      }
    } catch {
      return Task.isCancelled ? .void : .unreachable("\(error): check that `latchkey run` is running there.")
    }
  }

  private func wins(_ endpoint: SocketEndpoint, _ number: Int) -> Bool {
    guard race?.authenticated(endpoint) == true else { return false }
    winningCall = number
    return true
  }
}
