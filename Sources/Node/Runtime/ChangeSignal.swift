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
      defer { state.waiters = [:] }
      return state.waiters.values
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
      defer { state = .woken }
      guard case .waiting(let continuation) = state else { return nil }
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
