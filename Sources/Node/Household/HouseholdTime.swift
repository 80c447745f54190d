import LatchkeyModel
import LatchkeyRules
import Synchronization

/// The time by which rules apply on this machine.
///
/// On a child's machine it is the household's clock, which setting the wall clock does not move. On
/// a parent's it is the wall clock, which belongs to the person who sets the rules.
///
/// Spec: Protocol/11-rules.md §4.
final class HouseholdTime: Sendable {
  struct Moment: Hashable, Sendable {
    var boot: BootInstant
    /// Unix milliseconds for times of the day.
    var time: Int64
    /// Unix milliseconds for days.
    var dayTime: Int64
    var day: FamilyDay
  }

  private struct State {
    var clock: HouseholdClock?
    var saved: StoredClock?
    var savedAt = BootInstant(milliseconds: 0)
    /// The milliseconds of difference that were reported last.
    var reported: Int64 = 0
    var boundary: DayBoundary?
    /// What the first reading of this run found, until it is reported.
    var found: HouseholdClock.Change?
  }

  private let isChild: Bool
  private let state = Mutex(State())
  private let reading: @Sendable () -> ClockReading
  /// The longest time between two times that the clock is kept, in milliseconds.
  private static let pause: Int64 = 60_000

  init(isChild: Bool, _ stored: StoredClock?, reading: @escaping @Sendable () -> ClockReading) {
    self.isChild = isChild
    self.reading = reading
    state.withLock { state in
      state.clock = stored.map { HouseholdClock($0) }
      state.saved = state.clock?.stored
    }
    let found = read()
    state.withLock { $0.found = found }
  }

  /// Unix milliseconds for times of the day.
  var now: Int64 {
    guard isChild else { return reading().wall }
    return state.withLock { state in
      let reading = reading()
      return state.clock?.time(at: reading.boot) ?? reading.wall
    }
  }

  func moment(_ boundary: DayBoundary) -> Moment {
    let reading = reading()
    return state.withLock { state in
      guard isChild, var clock = state.clock else {
        return Moment(
          boot: reading.boot, time: reading.wall, dayTime: reading.wall, day: boundary.day(containing: reading.wall))
      }
      if let before = state.boundary, before != boundary { clock.forgetReached() }
      state.boundary = boundary
      let day = clock.day(at: reading.boot, boundary)
      state.clock = clock
      return Moment(
        boot: reading.boot, time: clock.time(at: reading.boot), dayTime: clock.dayTime(at: reading.boot), day: day)
    }
  }

  /// Reads the machine's clocks; returns how the wall clock was set, if people should know it.
  func read() -> HouseholdClock.Change? {
    guard isChild else { return nil }
    let reading = reading()
    return state.withLock { state in
      guard var clock = state.clock else {
        state.clock = HouseholdClock(reading)
        return nil
      }
      let change = clock.read(reading)
      state.clock = clock
      defer { state.found = nil }
      switch change {
      case .ignored(let difference):
        // A clock that stays wrong is reported once.
        guard abs(difference - state.reported) > HouseholdClock.slackMilliseconds else { return state.found }
        state.reported = difference
      case .corrected, nil: state.reported = 0
      }
      return change ?? state.found
    }
  }

  /// Returns what has to be kept; `nil` if what is kept is recent enough.
  func toKeep(now: BootInstant, hasChanged: Bool) -> StoredClock? {
    state.withLock { state in
      guard let clock = state.clock, clock.stored != state.saved else { return nil }
      let isDue =
        hasChanged || state.saved?.bootID != clock.stored.bootID || state.saved?.reached != clock.stored.reached
        || now - state.savedAt >= Self.pause
      guard isDue else { return nil }
      (state.saved, state.savedAt) = (clock.stored, now)
      return clock.stored
    }
  }
}

extension NodeContext {
  func tickHouseholdTime() async {
    guard profile.role == .child else { return }
    let change = time.read()
    if case .ignored = change { enforcementState.note("clock-set", at: now()) }
    guard let stored = time.toKeep(now: now(), hasChanged: change != nil) else { return }
    let entry: (action: String, text: String)? =
      switch change {
      case .ignored(let difference): ("clock.ignored", Self.words(difference))
      case .corrected(let difference): ("clock.corrected", Self.words(difference))
      case nil: nil
      }
    if let entry { logger.notice("the clock was set", metadata: ["what": "\(entry.action)", "by": "\(entry.text)"]) }
    do { try await store.keep(stored, change: entry, at: wall()) } catch {
      logger.error("the household's clock could not be kept", metadata: ["reason": "\(error)"])
    }
  }

  private static func words(_ difference: Int64) -> String {
    "\(SpanText.of(abs(difference))) \(difference > 0 ? "ahead" : "back")"
  }
}

/// A service that keeps the household's clock of a child's machine.
struct HouseholdClockService: Sendable {
  let context: NodeContext
  private static let pause: Int64 = 30_000

  func run() async {
    await ChangeSignal().follow {
      await context.tickHouseholdTime()
      return Self.pause
    }
  }
}
