import LatchkeyModel

/// The effects of a machine's sleep.
///
/// Spec: Protocol/13-agent.md §9.
extension AgentMachine {
  /// A return from sleep: until `waits`, deadlines in older orders that passed during the sleep
  /// close nothing.
  struct Wake {
    var asleep: BootInstant
    var awake: BootInstant
    var waits: BootInstant
  }

  /// Notes that the machine slept for some milliseconds until now, which divides use.
  ///
  /// The sleep is reported after the use that it divides, so that the node decides without counting
  /// the sleep as use.
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

  /// Returns the instant at which a program with this deadline closes.
  ///
  /// A deadline that passed during a sleep may be wrong, since the sleep used no time. The program
  /// therefore waits a moment for orders that were made after the sleep.
  func closing(at instant: BootInstant) -> BootInstant {
    guard let wake, instant > wake.asleep, instant <= wake.awake else { return instant }
    return wake.waits
  }

  /// Returns whether a program with this deadline is closed now.
  func isClosed(since instant: BootInstant, _ now: BootInstant) -> Bool { closing(at: instant) <= now }
}
