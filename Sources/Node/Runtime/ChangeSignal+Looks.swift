import LatchkeyModel
import LatchkeySystem
import Logging

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
