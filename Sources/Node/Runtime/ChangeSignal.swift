import LatchkeyModel
import LatchkeySystem
import Logging
import Synchronization

/// A signal that wakes waiting tasks after a change.
///
/// A change between two waits is never missed.
final class ChangeSignal: Sendable {
  private struct State {
    var version: UInt64 = 0
    var nextWaiter: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }

  private let state = Mutex(State())

  /// The number of changes so far, to be passed to `wait`.
  var version: UInt64 { state.withLock { $0.version } }

  func notify() {
    let waiters = state.withLock { state in
      state.version += 1
      return exchange(&state.waiters, with: [:]).values
    }
    for waiter in waiters { waiter.wake() }
  }

  /// Waits for a change after `version`, the cancellation of the task, or the end of
  /// `milliseconds`.
  func wait(after version: UInt64, milliseconds: Int64? = nil) async {
    let waiter = Waiter()
    let number: UInt64? = state.withLock { state in
      guard state.version <= version else { return nil }
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = waiter
      return state.nextWaiter
    }
    guard let number else { return }
    let alarm = milliseconds.map { AlarmClock.shared.set(after: $0) { waiter.wake() } }
    await withTaskCancellationHandler {
      await waiter.wait()
    } onCancel: {
      waiter.wake()
    }
    if let alarm { AlarmClock.shared.cancel(alarm) }
    state.withLock { _ = $0.waiters.removeValue(forKey: number) }
  }
}

/// A waiting task, which the first call of `wake` resumes.
private final class Waiter: Sendable {
  private enum State {
    case awake
    case waiting(CheckedContinuation<Void, Never>)
    case woken
  }

  private let state = Mutex(State.awake)

  func wait() async {
    await withCheckedContinuation { continuation in
      let isWoken = state.withLock { state in
        if case .woken = state { return true }
        state = .waiting(continuation)
        return false
      }
      if isWoken { continuation.resume() }
    }
  }

  func wake() {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .waiting(let continuation) = exchange(&state, with: .woken) else { return nil }
      return continuation
    }
    waiting?.resume()
  }
}

extension ChangeSignal {
  /// Returns a stream of the new values that a closure finds: immediately, and after each change.
  ///
  /// The stream keeps the newest `count` events for a slow reader, and ends with its reader. `look`
  /// compares with `seen`, and records the new values there.
  func events<Event: Sendable, Seen: Sendable>(
    keepingNewest count: Int, since seen: Seen, _ look: @escaping @Sendable (_ seen: inout Seen) async -> [Event]
  ) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(count))
    let task = Task {
      var seen = seen
      await follow {
        for event in await look(&seen) { continuation.yield(event) }
        return nil
      }
      continuation.finish()
    }
    // The stream's end ends the task that feeds it, which nothing else knows of.
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}

/// The loops of a node's parts, which look at something again and again.
///
/// They end with their task, at any point: a part of the node is cancelled when the node stops.
extension ChangeSignal {
  /// Looks now and after each change until the task is cancelled, or a look throws.
  ///
  /// A look returns the milliseconds after which the next one is due without a change; `nil` if a
  /// change alone calls for it. A change that comes while it looks is looked at again.
  ///
  /// The first look waits for `first` milliseconds or a change; with `nil`, for a change alone.
  /// Each later one follows what called for it by the milliseconds of `gathering`. A look is
  /// followed by a rest of four times its own length, within the bounds of `rest` in milliseconds.
  nonisolated(nonsending) func follow<Fault: Error>(
    after first: Int64? = 0, gathering: Int64 = 0, rest: ClosedRange<Int64> = 0...0,
    _ look: nonisolated(nonsending) () async throws(Fault) -> Int64?
  ) async throws(Fault) {
    var seen = version
    if first != 0 { await wait(after: seen, milliseconds: first) }
    while !Task.isCancelled {
      seen = version
      let began = BootClock.now()
      let next = try await look()
      let pause = min(max((BootClock.now() - began) * 4, rest.lowerBound), rest.upperBound)
      if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
      await wait(after: seen, milliseconds: next.map { $0 - pause })
      if gathering > 0 { try? await Task.sleep(for: .milliseconds(gathering)) }
    }
  }

  /// Follows the changes with looks that may fail: a fault is written to the log, and the next look
  /// is due after `retry` milliseconds.
  nonisolated(nonsending) func follow(
    retry: Int64, _ fault: Logger.Message, _ logger: Logger, rest: ClosedRange<Int64> = 0...0,
    _ look: nonisolated(nonsending) () async throws -> Int64?
  ) async {
    await follow(rest: rest) {
      do { return try await look() } catch {
        logger.error(fault, metadata: ["reason": "\(error)"])
        return retry
      }
    }
  }

  /// Looks now and after each change until something is found; returns `nil` at the instant `end`
  /// or once the task is cancelled.
  ///
  /// With a `pace`, it looks after so many milliseconds at the latest.
  @discardableResult
  nonisolated(nonsending) func first<Found, Fault: Error>(
    until end: BootInstant? = nil, pace: Int64? = nil,
    _ look: nonisolated(nonsending) () async throws(Fault) -> Found?
  ) async throws(Fault) -> Found? {
    while !Task.isCancelled {
      let seen = version
      if let found = try await look() { return found }
      let left = end.map { $0 - BootClock.now() }
      guard left ?? 1 > 0 else { break }
      await wait(after: seen, milliseconds: [left, pace].compactMap(\.self).min())
    }
    return nil
  }
}

/// A timer for any number of waits that may be cancelled.
///
/// A task that is cancelled while it sleeps keeps about 3 kB until the time at which it would have
/// woken. A cancelled alarm is gone at once, and few tasks sleep: another one starts only for an
/// alarm that is due before all of them wake.
final class AlarmClock: Sendable {
  static let shared = AlarmClock()

  private struct State {
    /// When each alarm is due, and what it calls, by its number.
    ///
    /// There are two dictionaries because all times are read often, and reading a closure retains
    /// it.
    var due: [UInt64: ContinuousClock.Instant] = [:]
    var rings: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
    /// The times at which tasks wake, earliest last.
    var wakes: [ContinuousClock.Instant] = []

    /// Returns whether a task is needed that wakes at `moment`.
    mutating func needs(_ moment: ContinuousClock.Instant) -> Bool {
      guard wakes.last.map({ moment < $0 }) ?? true else { return false }
      wakes.append(moment)
      return true
    }

    /// Removes an alarm, and returns what it calls.
    mutating func remove(_ number: UInt64) -> (@Sendable () -> Void)? {
      due[number] = nil
      return rings.removeValue(forKey: number)
    }
  }

  private let state = Mutex(State())

  /// Calls `ring` once after a number of milliseconds, unless the alarm is cancelled before.
  ///
  /// Time in which the machine sleeps counts. Returns the alarm's number for `cancel`.
  func set(after milliseconds: Int64, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
    let due = ContinuousClock.now + .milliseconds(max(0, milliseconds))
    let (number, isSooner) = state.withLock { state in
      state.last += 1
      (state.due[state.last], state.rings[state.last]) = (due, ring)
      return (state.last, state.needs(due))
    }
    if isSooner { sleep(until: due) }
    return number
  }

  /// Cancels an alarm.
  ///
  /// An alarm that has rung no longer exists.
  func cancel(_ number: UInt64) { _ = state.withLock { $0.remove(number) } }

  var count: Int { state.withLock { $0.due.count } }

  /// The number of tasks that are sleeping.
  var sleepers: Int { state.withLock { $0.wakes.count } }

  private func sleep(until moment: ContinuousClock.Instant) {
    Task {
      try? await Task.sleep(until: moment, clock: .continuous)
      self.ring(moment)
    }
  }

  /// Rings all alarms that are due when the task for `moment` wakes.
  private func ring(_ moment: ContinuousClock.Instant) {
    let now = max(moment, ContinuousClock.now)
    let (rings, next) = state.withLock { state in
      if let index = state.wakes.lastIndex(of: moment) { state.wakes.remove(at: index) }
      var due: [(number: UInt64, at: ContinuousClock.Instant)] = []
      var next: ContinuousClock.Instant?
      for (number, time) in state.due {
        if time <= now { due.append((number, time)) } else { next = min(next ?? time, time) }
      }
      let rings = due.sorted { $0.at < $1.at }.compactMap { state.remove($0.number) }
      return (rings, next.flatMap { state.needs($0) ? $0 : nil })
    }
    if let next { sleep(until: next) }
    for ring in rings { ring() }
  }
}
