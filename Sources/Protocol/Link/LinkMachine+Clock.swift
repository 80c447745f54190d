import LatchkeyModel

/// The link's timers.
///
/// Spec: Protocol/04-session.md §5, §7.
extension LinkMachine {
  /// The time at which `timerFired` should be called next; `nil` if no timer is set.
  public var nextTimer: BootInstant? {
    var next = dialler.nextTimer
    for (number, session) in sessions {
      var due = session.rules.nextTimer
      if number == current { due = min(due, session.reconcileAt) }
      next = next.map { min($0, due) } ?? due
    }
    return next
  }

  /// Acts on the timers that are due.
  ///
  /// Afterwards, `nextTimer` is `nil` or later than `now`.
  public mutating func timerFired(now: BootInstant) {
    self.now = now
    for number in sessions.keys.sorted() { timerFired(number) }
    dialler.timerFired(crowd: surroundings.crowd, now: now)
    settle()
  }

  private mutating func timerFired(_ number: Int) {
    guard var session = sessions[number] else { return }
    let effect = session.rules.timerFired(now: now)
    let isToReconcile = number == current && now >= session.reconcileAt
    if isToReconcile { session.reconcileAt = now + LinkSession.reconcileMilliseconds }
    sessions[number] = session
    if isToReconcile {
      isLoadHeld = false
      repeatStored(number)
    }
    switch effect {
    // A side sends nothing before its own Hello.
    case .ping(let count): if number == current { send(SessionBatch(ping: count), on: number) }
    case .dead:
      failed(.unheard)
      abort(number)
    case .renew: close(number, .renew)
    // The dialler notices by itself that the session may be replaced.
    case .callBeside, nil: break
    }
  }
}
