import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// The simplest implementation of Protocol/04-session.md §5 and §7: the effects of the clock, and
/// the change of keys.
struct SessionTimers {
  private let openedAt: BootInstant
  private var heardAt: BootInstant
  private var isGreeted = false
  private var pingedAt: BootInstant
  private var pings: UInt64 = 0
  private var rekeyedAt: BootInstant

  init(openedAt: BootInstant) {
    self.openedAt = openedAt
    heardAt = openedAt
    pingedAt = openedAt
    rekeyedAt = openedAt
  }

  /// Records a sign of life; with `isGreeted`, the Hello has arrived.
  mutating func received(_ now: BootInstant, isGreeted: Bool) { (heardAt, self.isGreeted) = (now, isGreeted) }

  /// Returns the effect that is due at this time.
  mutating func fire(_ now: BootInstant) -> SessionMachine.TimerEffect? {
    if now - heardAt >= (isGreeted ? 60_000 : 10_000) { return .dead }
    if now - openedAt >= 86_400_000 { return .renew }
    guard now - heardAt >= 20_000, now - pingedAt >= 20_000 else { return nil }
    pingedAt = now
    pings += 1
    return .ping(pings)
  }

  /// Records a sealed frame, and returns whether a new key must follow it.
  mutating func sealed(_ now: BootInstant) -> Bool {
    guard now - rekeyedAt >= 3_600_000 else { return false }
    rekeyedAt = now
    return true
  }

  /// Records that a frame announced a new key.
  mutating func rekeyed(_ now: BootInstant) { rekeyedAt = now }
}
