import LatchkeyModel

/// What a sleep of the machine changes: Protocol/13-agent.md §9.
extension AgentMachine {
  /// A return from sleep, and until when orders from before are not relied on for what they closed meanwhile.
  struct Wake {
    var asleep: BootInstant
    var awake: BootInstant
    var waits: BootInstant
  }

  /// Notes that the machine slept until now, for so many milliseconds: use is cut.
  ///
  /// The node is told of the sleep after everything that was cut by it, so that it decides by the use without the sleep.
  public mutating func slept(_ milliseconds: Int64, at now: BootInstant) -> [AgentEffect] {
    var effects: [AgentEffect] = []
    let asleep = now + -max(0, milliseconds)
    wake = Wake(asleep: asleep, awake: now, waits: now + Self.wakeMilliseconds)
    activity.skip(from: asleep, to: now, clockTerms)
    for process in followed.ruled.keys.sorted() {
      guard var known = followed[process], let use = known.use, let began = known.began else { continue }
      let reading = activity.reading(of: use)
      effects.append(
        tell(.ended(use, milliseconds: max(0, asleep - began), activity: reading), max(began, asleep)))
      known.began = now
      followed[process] = known
      effects.append(tell(.began(use, since: now, activity: reading), now))
    }
    return effects + [tell(.slept(milliseconds: milliseconds), now)]
  }

  /// Returns when a program closes whose terms state an instant.
  ///
  /// An instant that passed while the machine slept may be that at which time would have run out, of which the sleep used
  /// nothing. So it waits for orders that were made after the sleep, for a moment.
  func closing(at instant: BootInstant) -> BootInstant {
    guard let wake, instant > wake.asleep, instant <= wake.awake else { return instant }
    return wake.waits
  }

  /// Returns whether a program is closed now whose terms state an instant.
  func isClosed(since instant: BootInstant, _ now: BootInstant) -> Bool { closing(at: instant) <= now }
}
