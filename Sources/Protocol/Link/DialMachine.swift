import LatchkeyModel

/// What a call of an address came to when it did not lead to the paired device.
public enum CallOutcome: Hashable, Sendable {
  /// No connection came about.
  case unreachable(String)
  /// Whoever answered is not the paired device.
  case failed(String)
  /// Somebody is there and closes without a word: another device, or one that does not know us any more.
  case silent(String)

  /// One sentence for people.
  public var reason: String {
    switch self {
    case .unreachable(let reason), .failed(let reason), .silent(let reason): reason
    }
  }
}

/// Decides when a peer is called, and at which addresses: one race of calls after the other, with a pause between them.
///
/// Pure values; the state diagram is in the specification. Spec: Protocol/04-session.md §5, Protocol/02-discovery.md §8.
public struct DialMachine: Sendable {
  /// What the link needs of its dialler.
  public enum Need: Hashable, Sendable {
    /// There is a session, one is being opened, or the peer is not to be called.
    case nothing
    case session
    /// The session of that number shows no sign of life: the peer is called beside it, once.
    case sessionBeside(Int)
  }

  /// What whoever runs the machine has to do, in this order.
  public enum Effect: Hashable, Sendable {
    /// Look up where the peer may be, then call `lookedUp`.
    case lookUp
    /// Call this address; `ended` or `authenticated` says what came of it.
    case call(Int, SocketEndpoint)
    /// Give a call up; nothing is said of it any more.
    case giveUp(Int)
    /// No call of a race reached the peer.
    case lost(CallOutcome)
  }

  /// Calls that are under way.
  public struct Race: Sendable {
    var race: DialRace<SocketEndpoint>
    /// The session in doubt beside which they are made.
    var beside: Int?
    let begun: BootInstant
    var calls: [Int: SocketEndpoint] = [:]
    var outcomes: [CallOutcome] = []
  }

  public enum Phase: Sendable {
    /// Nothing is needed.
    case resting
    /// No address is known: an address or another sign of life is waited for.
    case nowhere
    /// The peer will be called beside a silent session; a crowd that lost the same machine does not call at one moment.
    case spreading(until: BootInstant, beside: Int)
    /// The addresses are being looked up.
    case looking(beside: Int?, begun: BootInstant)
    case racing(Race)
    /// The next race begins then. A sign of life shortens a pause once.
    case pausing(since: BootInstant, until: BootInstant, isHurried: Bool)
  }

  public package(set) var phase = Phase.resting
  package var pace = DialPace()
  /// The session beside which the last race was held, if there was one.
  private var calledBeside: Int?
  /// Races in a row that nobody won.
  public private(set) var lostRaces = 0
  private var calls = 0
  /// A sign of life has come that no race has made use of.
  private var hasSign = false
  private var jitter: JitterSource
  private var effects: [Effect] = []

  public init(jitterSeed: UInt64) {
    jitter = JitterSource(seed: jitterSeed)
  }

  /// Whether calls are under way or about to be made.
  @inline(never)
  public var isDialling: Bool {
    switch phase {
    case .looking, .racing: true
    case .resting, .nowhere, .spreading, .pausing: false
    }
  }

  /// Tries that failed since the last sign of life.
  public var failures: Int { pace.failures }

  /// When the next race begins, while it is waited for.
  // Swift 6.3's optimizer fails where this is inlined into another module.
  @inline(never)
  public var nextTry: BootInstant? {
    if case .pausing(_, let until, _) = phase { until } else { nil }
  }

  /// When `timerFired` should be called next.
  public var nextTimer: BootInstant? {
    switch phase {
    case .resting, .nowhere, .looking: nil
    case .spreading(let until, _), .pausing(_, let until, _): until
    case .racing(let race): race.race.nextTimer
    }
  }

  /// Returns what has to be done since it was asked last.
  public mutating func takeEffects() -> [Effect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  // MARK: What is needed

  /// Acts on what the link needs now; to be called after anything has changed.
  ///
  /// - Parameter crowd: machines that may be calling at the same moment, as far as is known.
  public mutating func settle(_ need: Need, crowd: Int, now: BootInstant) {
    switch need {
    case .nothing:
      // A session that is heard of again may fall into doubt anew.
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
    // The session in doubt may have ended since: then the calls go on as if there had been none.
    case .spreading(_, let beside): if beside != silent { begin(beside: silent, crowd: crowd, now: now) }
    case .looking(_, let begun): phase = .looking(beside: silent, begun: begun)
    case .racing(var race):
      race.beside = silent
      phase = .racing(race)
    }
  }

  private mutating func begin(beside silent: Int?, crowd: Int, now: BootInstant) {
    guard let silent else { return lookUp(beside: nil, now: now) }
    // If nobody wins that race, the session lives or dies by itself.
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

  /// Gives up whatever is under way.
  private mutating func stop() {
    if case .racing(let race) = phase { giveUp(race) }
    phase = .resting
  }

  private mutating func giveUp(_ race: Race) {
    for call in race.calls.keys.sorted() { effects.append(.giveUp(call)) }
  }

  // MARK: What happens

  /// The addresses at which the peer may be, the best first.
  public mutating func lookedUp(_ candidates: [SocketEndpoint], crowd: Int, now: BootInstant) {
    guard case .looking(let beside, let begun) = phase else { return }
    guard !candidates.isEmpty else {
      phase = beside == nil && !hasSign ? .nowhere : .resting
      return
    }
    phase = .racing(Race(race: DialRace(candidates, now: now), beside: beside, begun: begun))
    advance(crowd: crowd, now: now)
  }

  /// Addresses have come to light that are worth a call; those of a race under way make room for them.
  public mutating func offered(_ addresses: [SocketEndpoint], crowd: Int, now: BootInstant) {
    guard case .racing(var race) = phase else { return }
    race.race.offered(addresses, now: now)
    phase = .racing(race)
    advance(crowd: crowd, now: now)
  }

  /// A call came to nothing. Returns the address that was called; nil when the call had been given up.
  @discardableResult
  public mutating func ended(_ call: Int, _ outcome: CallOutcome, crowd: Int, now: BootInstant) -> SocketEndpoint? {
    guard case .racing(var race) = phase, let endpoint = race.calls.removeValue(forKey: call) else { return nil }
    race.race.failed(endpoint, now: now)
    race.outcomes.append(outcome)
    phase = .racing(race)
    advance(crowd: crowd, now: now)
    return endpoint
  }

  /// A call has reached the peer, which has proved its key. Returns whether it wins: then all others are given up; if not,
  /// it is of no use.
  public mutating func authenticated(_ call: Int) -> Bool {
    guard case .racing(var race) = phase, let endpoint = race.calls.removeValue(forKey: call),
      race.race.authenticated(endpoint)
    else { return false }
    giveUp(race)
    lostRaces = 0
    phase = .resting
    return true
  }

  /// The network has changed: calls over ways that are gone hold nobody up.
  public mutating func networkChanged(now: BootInstant) {
    calledBeside = nil
    switch phase {
    case .resting, .nowhere, .pausing, .looking(nil, _): break
    case .spreading, .looking: phase = .resting
    case .racing(let race):
      giveUp(race)
      phase =
        race.beside == nil ? .pausing(since: now, until: now + DialPace.shortest, isHurried: true) : .resting
    }
  }

  /// Something shows that a try is worth while: the back-off begins anew, and a pause becomes short.
  public mutating func signOfLife(crowd: Int, now: BootInstant) {
    pace.signOfLife()
    hurry(crowd: crowd, now: now)
  }

  private mutating func hurry(crowd: Int, now: BootInstant) {
    switch phase {
    case .nowhere: phase = .resting
    case .pausing(let since, let until, false):
      // Whoever was woken by a sign of life was perhaps woken with a thousand others.
      let spread = now < until ? DialPace.spread(jitter: jitter.next(), crowd: crowd) : 0
      let soon = max(since + DialPace.shortest, now + spread)
      phase = .pausing(since: since, until: min(until, soon), isHurried: true)
    case .pausing: break
    case .resting, .spreading, .looking, .racing: hasSign = true
    }
  }

  /// The session, or the attempt at one, is over.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it was open.
  ///   - isOurs: whether this side had called.
  ///   - isDuplicate: whether it gave way to another session, which is no fault of anybody's.
  public mutating func sessionEnded(
    after milliseconds: Int64, isOurs: Bool, isDuplicate: Bool, crowd: Int, now: BootInstant
  ) {
    if !isDuplicate { pace.sessionEnded(after: milliseconds) }
    // Where sessions fall apart (a full disk), what came up in one mends nothing.
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
      // Whoever began it: two machines that cannot go on must not go round in a circle.
      pause(pace.fellApart(jitter: jitter.next()), from: now, crowd: crowd, now: now)
    }
  }

  /// Does what is due.
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

  /// Waits before the next race, less long when there was a sign of life meanwhile, but never in a tight circle.
  private mutating func pause(_ delay: Int64, from begun: BootInstant, crowd: Int, now: BootInstant) {
    phase = .pausing(since: now, until: max(begun + delay, now + DialPace.shortest), isHurried: false)
    guard hasSign else { return }
    hasSign = false
    hurry(crowd: crowd, now: now)
  }

  /// What a race came to that nobody won: silence tells most, a wrong device least.
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
