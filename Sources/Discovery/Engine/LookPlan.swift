/// Decides when a discovery asks the network for others. A pure machine: it is told what happens and the time, and says
/// whether to look and when it wants to be woken.
///
///     attend(.none)       attend(.full), or .patient where few are known
///     ┌──────────┐          ┌─────────┐   a crowd is seen    ┌──────────────┐
///     │  silent  │ ───────▶ │ looking │ ───────────────────▶ │ looking, for │ ◀─┐ services that were seen
///     └──────────┘          └─────────┘                      │   a moment   │ ──┘ have not been looked up
///          ▲                     ▲  the pause ends           └──────────────┘
///          │                ┌─────────┐                             │
///      attend(.none)        │ pausing │ ◀───────────────────────────┘ the moment ends
///                           └─────────┘
///                                ▲ attend(.patient) where many are known
///
/// Spec: Protocol/02-discovery.md §4.
struct LookPlan: Sendable, Hashable {
  private enum Phase: Hashable {
    case looking
    /// Until then, or a little longer.
    case lookingUntil(Duration)
    /// Looking is left to others until then; nil where nobody is missed, and others look.
    case pausing(until: Duration?)
  }

  /// How long a look goes on for services that are still to be looked up, before the plan asks again whether there are any.
  private static let addition = Duration.milliseconds(300)

  private var attention: Attention
  private var phase = Phase.looking
  private var patience = CrowdPatience()
  /// When the last look began.
  private var lookBegan: Duration

  /// Begin with looking as much as is said, without a pause.
  ///
  /// - Parameter now: time since boot, as everywhere below.
  init(_ attention: Attention, at now: Duration) {
    self.attention = attention
    lookBegan = now
  }

  /// Whether what others announce is to be asked for now.
  var isLooking: Bool {
    if case .pausing = phase { false } else { attention != .none }
  }

  /// When `wake` is to be called; nil while nothing but what is told changes anything.
  var nextWake: Duration? {
    switch phase {
    case .looking: nil
    case .lookingUntil(let time): time
    case .pausing(let time): time
    }
  }

  /// Look so much from now on.
  ///
  /// - Parameters:
  ///   - isRunning: whether the discovery has begun. A machine that is switched on may be so with all the others; what one
  ///     that runs has lost, it should have again soon.
  ///   - jitter: random, 0 to 1, as everywhere below.
  mutating func attend(_ next: Attention, isRunning: Bool, at now: Duration, jitter: Double) {
    guard next != attention else { return }
    let wasLooking = isLooking
    let (goesOn, missed) = (attention.isPatient && next.isPatient, attention.misses)
    attention = next
    if goesOn {
      // More or fewer that are known to look make no new beginning. Somebody who is missed from now on ends a pause.
      if !missed, next.misses { shorten(at: now, jitter: jitter) }
      return
    }
    patience = CrowdPatience()
    phase = .looking
    if case .patient(let crowd, _) = next, CrowdPatience.isCrowd(crowd) {
      phase = .pausing(until: now + (isRunning ? patience.spread(jitter: jitter) : patience.pause(jitter: jitter)))
    }
    if isLooking, !wasLooking { lookBegan = now }
  }

  /// So many others announce themselves that they would be busy with each other's questions alone. Some of them look on, and
  /// find this machine.
  mutating func sees(others: Int, at now: Duration) {
    guard attention.isPatient, phase == .looking, CrowdPatience.isCrowd(others) else { return }
    // Who has looked on for long looks at the crowd that comes as long as at one that is there.
    if now - lookBegan > CrowdPatience.look { lookBegan = now }
    phase = .lookingUntil(lookBegan + CrowdPatience.look)
  }

  /// This may be another network, and what was told of a crowd hold no longer: a pause is cut short.
  mutating func networkMoved(at now: Duration, jitter: Double) {
    guard case .pausing = phase else {
      // What was seen may have been the other network's crowd.
      (phase, lookBegan, patience) = (.looking, now, CrowdPatience())
      return
    }
    shorten(at: now, jitter: jitter)
  }

  /// End a pause soon.
  private mutating func shorten(at now: Duration, jitter: Double) {
    guard case .pausing = phase else { return }
    patience = CrowdPatience()
    phase = .pausing(until: now + patience.spread(jitter: jitter))
  }

  /// The time may have come.
  ///
  /// - Parameter isBehind: whether services that were seen wait to be looked up.
  mutating func wake(at now: Duration, isBehind: Bool, jitter: Double) {
    guard let nextWake, now >= nextWake else { return }
    if case .pausing = phase {
      phase = .looking
      lookBegan = now
    } else if isBehind, now - lookBegan < CrowdPatience.longLook {
      phase = .lookingUntil(now + Self.addition)
    } else {
      phase = .pausing(until: attention.misses ? now + patience.pause(jitter: jitter) : nil)
    }
  }
}
