import LatchkeyModel

/// A state machine that decides when a peer is called, and at which addresses: one race of calls
/// after another, with a pause in between.
///
/// A pure value. The state diagram is in the specification. Spec: Protocol/04-session.md §5,
/// Protocol/02-discovery.md §8.
public struct DialMachine: Sendable {
  public enum Need: Hashable, Sendable {
    /// No call: a session exists, one is being opened, or the peer must not be called.
    case nothing
    case session
    /// A call beside a session that shows no sign of life, made once; the number is the session's.
    case sessionBeside(Int)
  }

  /// An instruction to the interpreter of the machine.
  ///
  /// Effects are carried out in order.
  public enum Effect: Hashable, Sendable {
    /// Look up the peer's possible addresses, then call `lookedUp`.
    case lookUp
    /// Call this address, then report the outcome with `ended` or `authenticated`.
    case call(Int, SocketEndpoint)
    /// Cancel a call; its outcome is no longer reported.
    case giveUp(Int)
    /// Take note that no call of a race reached the peer.
    case lost(CallOutcome)
  }

  /// A set of calls that are made side by side.
  public struct Race: Sendable {
    var race: DialRace<SocketEndpoint>
    /// The doubted session beside which the calls are made.
    var beside: Int?
    let begun: BootInstant
    var calls: [Int: SocketEndpoint] = [:]
    var outcomes: [CallOutcome] = []
  }

  public enum Phase: Sendable {
    case resting
    /// No address is known; the machine waits for an address or another sign of life.
    case nowhere
    /// A call beside a silent session is about to begin.
    ///
    /// The delay differs between machines. So machines that lost the same peer do not all call at
    /// one moment.
    case spreading(until: BootInstant, beside: Int)
    case looking(beside: Int?, begun: BootInstant)
    case racing(Race)
    /// The next race begins at `until`; a sign of life shortens a pause once.
    case pausing(since: BootInstant, until: BootInstant, isHurried: Bool)
  }

  public package(set) var phase = Phase.resting
  package var pace = DialPace()
  /// The session beside which the last race was held, if any.
  private var calledBeside: Int?
  /// The number of consecutive races that reached no peer.
  public private(set) var lostRaces = 0
  private var calls = 0
  /// A Boolean value that indicates whether a sign of life arrived that no race has used yet.
  private var hasSign = false
  private var jitter: JitterSource
  private var effects: [Effect] = []

  public init(jitterSeed: UInt64) { jitter = JitterSource(seed: jitterSeed) }

  @inline(never)
  public var isDialling: Bool {
    switch phase {
    case .looking, .racing: true
    case .resting, .nowhere, .spreading, .pausing: false
    }
  }

  /// The number of attempts that failed since the last sign of life.
  public var failures: Int { pace.failures }

  /// The time at which the next race begins; `nil` if none is scheduled.
  ///
  /// `@inline(never)`: the optimizer of Swift 6.3 fails if this is inlined into another module.
  @inline(never)
  public var nextTry: BootInstant? { if case .pausing(_, let until, _) = phase { until } else { nil } }

  /// The time at which `timerFired` should be called next.
  public var nextTimer: BootInstant? {
    switch phase {
    case .resting, .nowhere, .looking: nil
    case .spreading(let until, _), .pausing(_, let until, _): until
    case .racing(let race): race.race.nextTimer
    }
  }

  public mutating func takeEffects() -> [Effect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  // MARK: Needs

  /// Acts on what the link needs now, after any change.
  ///
  /// `crowd` is the known number of machines that may be calling at the same moment.
  public mutating func settle(_ need: Need, crowd: Int, now: BootInstant) {
    switch need {
    case .nothing:
      // After the session has received something again, it may fall into doubt a second time.
      calledBeside = nil
      stop()
    case .session: settle(beside: nil, crowd: crowd, now: now)
    case .sessionBeside(let silent):
      if case .pausing = phase { phase = .resting }
      settle(beside: silent, crowd: crowd, now: now)
    }
  }

  private mutating func settle(beside silent: Int?, crowd: Int, now: BootInstant) {
    switch phase {
    case .resting: begin(beside: silent, crowd: crowd, now: now)
    case .nowhere, .pausing: break
    // If the doubted session has ended since, the calls continue as if there had been none.
    case .spreading(_, let beside): if beside != silent { begin(beside: silent, crowd: crowd, now: now) }
    case .looking(_, let begun): phase = .looking(beside: silent, begun: begun)
    case .racing(var race):
      race.beside = silent
      phase = .racing(race)
    }
  }

  private mutating func begin(beside silent: Int?, crowd: Int, now: BootInstant) {
    guard let silent else { return lookUp(beside: nil, now: now) }
    // If no call wins that race, the session's own timers decide whether it lives.
    guard calledBeside != silent else {
      phase = .resting
      return
    }
    calledBeside = silent
    let spread = DialPace.spread(jitter: jitter.next(), crowd: crowd)
    if spread > 0 {
      phase = .spreading(until: now + spread, beside: silent)
    } else {
      lookUp(beside: silent, now: now)
    }
  }

  private mutating func lookUp(beside silent: Int?, now: BootInstant) {
    hasSign = false
    phase = .looking(beside: silent, begun: now)
    effects.append(.lookUp)
  }

  private mutating func stop() {
    if case .racing(let race) = phase { giveUp(race) }
    phase = .resting
  }

  private mutating func giveUp(_ race: Race) { for call in race.calls.keys.sorted() { effects.append(.giveUp(call)) } }

  // MARK: Events

  /// Starts a race with the peer's possible addresses, best first.
  public mutating func lookedUp(_ candidates: [SocketEndpoint], crowd: Int, now: BootInstant) {
    guard case .looking(let beside, let begun) = phase else { return }
    guard !candidates.isEmpty else {
      phase = beside == nil && !hasSign ? .nowhere : .resting
      return
    }
    phase = .racing(Race(race: DialRace(candidates, now: now), beside: beside, begun: begun))
    advance(crowd: crowd, now: now)
  }

  /// Adds addresses that became known during a race; they are called before those that still wait.
  public mutating func offered(_ addresses: [SocketEndpoint], crowd: Int, now: BootInstant) {
    guard case .racing(var race) = phase else { return }
    race.race.offered(addresses, now: now)
    phase = .racing(race)
    advance(crowd: crowd, now: now)
  }

  /// Records that a call failed, and returns the address that was called, or `nil` if the call was
  /// cancelled before.
  @discardableResult
  public mutating func ended(_ call: Int, _ outcome: CallOutcome, crowd: Int, now: BootInstant) -> SocketEndpoint? {
    guard case .racing(var race) = phase, let endpoint = race.calls.removeValue(forKey: call) else { return nil }
    race.race.failed(endpoint, now: now)
    race.outcomes.append(outcome)
    phase = .racing(race)
    advance(crowd: crowd, now: now)
    return endpoint
  }

  /// Records that the peer answered a call and proved its key; returns whether the call wins, which
  /// cancels all others.
  public mutating func authenticated(_ call: Int) -> Bool {
    guard case .racing(var race) = phase, let endpoint = race.calls.removeValue(forKey: call),
      race.race.authenticated(endpoint)
    else { return false }
    giveUp(race)
    lostRaces = 0
    phase = .resting
    return true
  }

  /// Ends the calls under way after a change of network, since they may use paths that no longer
  /// exist.
  public mutating func networkChanged(now: BootInstant) {
    calledBeside = nil
    switch phase {
    case .resting, .nowhere, .pausing, .looking(nil, _): break
    case .spreading, .looking: phase = .resting
    case .racing(let race):
      giveUp(race)
      phase = race.beside == nil ? .pausing(since: now, until: now + DialPace.shortest, isHurried: true) : .resting
    }
  }

  /// Records a sign that the peer may be reachable: restarts the back-off and shortens a pause.
  public mutating func signOfLife(crowd: Int, now: BootInstant) {
    pace.signOfLife()
    hurry(crowd: crowd, now: now)
  }

  private mutating func hurry(crowd: Int, now: BootInstant) {
    switch phase {
    case .nowhere: phase = .resting
    case .pausing(let since, let until, false):
      // The same sign may have reached many machines at once.
      let spread = now < until ? DialPace.spread(jitter: jitter.next(), crowd: crowd) : 0
      let soon = max(since + DialPace.shortest, now + spread)
      phase = .pausing(since: since, until: min(until, soon), isHurried: true)
    case .pausing: break
    case .resting, .spreading, .looking, .racing: hasSign = true
    }
  }

  /// Records the end of a session or an attempt that was open for `milliseconds`.
  ///
  /// `isOurs` says whether this side began it. If it gave way to another session (`isDuplicate`),
  /// the end is not a failure.
  public mutating func sessionEnded(
    after milliseconds: Int64, isOurs: Bool, isDuplicate: Bool, crowd: Int, now: BootInstant
  ) {
    if !isDuplicate { pace.sessionEnded(after: milliseconds) }
    // If sessions fail soon after they open (a full disk, for example), a sign of life during one
    // does not help.
    hasSign = false
    switch phase {
    case .spreading, .looking, .racing, .pausing: return
    case .resting, .nowhere: phase = .resting
    }
    if isDuplicate {
      pause(DialPace.shortest, from: now, crowd: crowd, now: now)
    } else if isOurs {
      pause(pace.served(jitter: jitter.next()), from: now, crowd: crowd, now: now)
    } else if pace.hasFallenApart {
      // Whichever side called: two machines that cannot proceed must not reconnect in a loop.
      pause(pace.fellApart(jitter: jitter.next()), from: now, crowd: crowd, now: now)
    }
  }

  public mutating func timerFired(crowd: Int, now: BootInstant) {
    switch phase {
    case .spreading(let until, let beside): if now >= until { lookUp(beside: beside, now: now) }
    case .pausing(_, let until, _): if now >= until { phase = .resting }
    case .racing: advance(crowd: crowd, now: now)
    case .resting, .nowhere, .looking: break
    }
  }

  // MARK: Races and pauses

  private mutating func advance(crowd: Int, now: BootInstant) {
    guard case .racing(var race) = phase else { return }
    for endpoint in race.race.start(now: now) {
      calls += 1
      race.calls[calls] = endpoint
      effects.append(.call(calls, endpoint))
    }
    phase = .racing(race)
    if race.race.isOver { lost(race, crowd: crowd, now: now) }
  }

  private mutating func lost(_ race: Race, crowd: Int, now: BootInstant) {
    let outcome = Self.sum(race.outcomes)
    lostRaces &+= 1
    effects.append(.lost(outcome))
    phase = .resting
    guard race.beside == nil else { return }
    if case .unreachable = outcome {
      let delay = pace.failed(jitter: jitter.next(), isUnreachable: true, crowd: crowd)
      pause(delay, from: race.begun, crowd: crowd, now: now)
    } else {
      pause(pace.failed(jitter: jitter.next()), from: now, crowd: crowd, now: now)
    }
  }

  /// Schedules the next race.
  ///
  /// A sign of life during the last race shortens the pause, but never below `DialPace.shortest`.
  private mutating func pause(_ delay: Int64, from begun: BootInstant, crowd: Int, now: BootInstant) {
    phase = .pausing(since: now, until: max(begun + delay, now + DialPace.shortest), isHurried: false)
    guard hasSign else { return }
    hasSign = false
    hurry(crowd: crowd, now: now)
  }

  /// Summarizes the outcomes of a lost race.
  ///
  /// Silence is the most informative outcome, a wrong device the least.
  private static func sum(_ outcomes: [CallOutcome]) -> CallOutcome {
    var sum = CallOutcome.failed("No address of this device is known.")
    for outcome in outcomes {
      switch (outcome, sum) {
      case (_, .silent), (.failed, .unreachable): continue
      default: sum = outcome
      }
    }
    return sum
  }
}
