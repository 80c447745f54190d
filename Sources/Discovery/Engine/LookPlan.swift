/// The plan that decides when discovery searches the network for other machines.
///
/// A pure state machine: its inputs are events and the time; its results are whether to search and
/// when to wake it.
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
    /// Searching until this time, or a little longer.
    case lookingUntil(Duration)
    /// Leaving the search to others until this time; `nil` if no peer is missed and others search.
    case pausing(until: Duration?)
  }

  /// The time by which a search is extended for services that are still to be looked up.
  private static let addition = Duration.milliseconds(300)

  private var attention: Attention
  private var phase = Phase.looking
  private var patience = CrowdPatience()
  private var lookBegan: Duration

  /// Creates a plan that searches with this effort, without a pause.
  ///
  /// `now` is the time since boot, as in all functions below.
  init(_ attention: Attention, at now: Duration) {
    self.attention = attention
    lookBegan = now
  }

  var isLooking: Bool {
    if case .pausing = phase { false } else { attention != .none }
  }

  /// The time at which to call `wake`; `nil` if only an input can change the plan.
  var nextWake: Duration? {
    switch phase {
    case .looking: nil
    case .lookingUntil(let time): time
    case .pausing(let time): time
    }
  }

  /// Changes the effort.
  ///
  /// A machine that is switched on may begin at the same time as all others. If discovery
  /// `isRunning`, it should soon find again the peers that it has lost. `jitter` is a random number
  /// in 0 to 1, as in all functions below.
  mutating func attend(_ next: Attention, isRunning: Bool, at now: Duration, jitter: Double) {
    guard next != attention else { return }
    let wasLooking = isLooking
    let (goesOn, missed) = (attention.isPatient && next.isPatient, attention.misses)
    attention = next
    if goesOn {
      // A change in the number of known searchers does not restart the plan. A peer that is missed
      // from now on ends a pause.
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

  /// Records the number of other instances.
  ///
  /// In a crowd, the machines would be busy with each other's queries alone; some of them keep
  /// searching, and find this machine.
  mutating func sees(others: Int, at now: Duration) {
    guard attention.isPatient, phase == .looking, CrowdPatience.isCrowd(others) else { return }
    // After a long search, a crowd that appears gets as much time as one that was there from the
    // beginning.
    if now - lookBegan > CrowdPatience.look { lookBegan = now }
    phase = .lookingUntil(lookBegan + CrowdPatience.look)
  }

  /// Shortens a pause, since this may be another network, without the crowd.
  mutating func networkMoved(at now: Duration, jitter: Double) {
    guard case .pausing = phase else {
      // The instances seen so far may have been the crowd of the other network.
      (phase, lookBegan, patience) = (.looking, now, CrowdPatience())
      return
    }
    shorten(at: now, jitter: jitter)
  }

  private mutating func shorten(at now: Duration, jitter: Double) {
    guard case .pausing = phase else { return }
    patience = CrowdPatience()
    phase = .pausing(until: now + patience.spread(jitter: jitter))
  }

  /// Acts on the timer if it is due.
  ///
  /// `isBehind` indicates whether services that were seen wait to be looked up.
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

/// The effort with which a discovery searches for other machines' announcements.
///
/// A machine that follows announcements queries the network repeatedly. Every responder receives
/// each query and reads its long list of known answers. Forty machines that query at once have no
/// time for anything else.
///
/// Spec: Protocol/02-discovery.md §4.
public enum Attention: Sendable, Hashable {
  case none
  /// Search, but in a crowd mostly leave searching to others.
  ///
  /// If two machines look for each other, one search is enough.
  /// `crowd` machines are known to search at the same time; more may be seen. `misses` indicates
  /// whether a device is looked for. In a crowd, a machine that looks for none does not search.
  case patient(crowd: Int, misses: Bool)
  /// Search for everything that is of interest.
  case full

  /// Returns whether a number of machines that search at the same time is a crowd: more than 8.
  public static func isCrowd(_ count: Int) -> Bool { CrowdPatience.isCrowd(count) }

  var isPatient: Bool {
    if case .patient = self { true } else { false }
  }

  var misses: Bool {
    switch self {
    case .none: false
    case .patient(_, let misses): misses
    case .full: true
    }
  }
}

/// The time for which one of many machines leaves searching to the others.
///
/// A query for announcements goes to all machines and lists everything that the asker knows. If n
/// machines search at once, the work grows with the cube of n. For two machines to find each other,
/// one search is enough. In a crowd, patient machines therefore leave it to the others, and search
/// briefly now and then only because the others may be unable to call.
///
/// Spec: Protocol/02-discovery.md §4.
struct CrowdPatience: Sendable, Hashable {
  /// The duration of a search in a crowd.
  ///
  /// Responders repeat a query after a second.
  static let look = Duration.milliseconds(900)
  /// The longest search, while services that were seen have not been looked up.
  static let longLook = Duration.seconds(3)

  /// The first pause and the longest one, in seconds.
  private static let first = 15.0...60.0
  private static let longest = 60.0...120.0

  private var pauses = 0

  static func isCrowd(_ count: Int) -> Bool { count > 8 }

  /// Returns the time until the next search.
  ///
  /// `jitter` is a random number in 0 to 1.
  mutating func pause(jitter: Double) -> Duration {
    let span = pauses == 0 ? Self.first : Self.longest
    pauses += 1
    return .seconds(span.lowerBound + (span.upperBound - span.lowerBound) * jitter)
  }

  /// Returns the delay of the first search if all machines may begin at once and each does so
  /// rarely.
  ///
  /// `jitter` is a random number in 0 to 1.
  func spread(jitter: Double) -> Duration { .seconds(3 * jitter) }
}
