import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode

/// A load of messages from a node to its only paired device: commands or usage records.
struct NodeLoad {
  private let node: NodeService
  private let device: DeviceID
  private let own: DeviceID
  private let streamClass: StreamClass
  private let numbers = RecordNumbers()

  init(_ node: NodeService, usage: Bool) async throws {
    self.node = node
    let status = try await node.ask(Endpoints.getStatus)
    guard let peer = status.peers.first else { throw BenchFault("A worker is paired with nobody.") }
    device = peer.device.deviceID
    own = status.deviceID
    streamClass = usage ? .usage : .command
  }

  /// Accepts `count` messages and returns the number of the last one.
  func issue(_ count: Int, size: Int, concurrency: Int) async throws -> UInt64 {
    let text = text(size)
    return try await every(count, concurrency) { try await give(text) }.reduce(0) { max($0, $1) }
  }

  /// Waits until the device has stored more than `through`; returns the time.
  func stored(beyond through: UInt64) async -> Int64 {
    _ = await node.stored(by: device, streamClass, after: through)
    return Durations.now()
  }

  /// Relays `count` messages with `concurrency` in flight.
  ///
  /// - Returns: The time from the first request until the last message is stored; and the time of
  ///   each from the request, and from its acceptance, until it is stored.
  func relay(
    _ count: Int, size: Int, concurrency: Int
  ) async throws -> (times: (began: Int64, ended: Int64), asked: Durations, accepted: Durations) {
    let clock = StoredClock()
    let watcher = Task { [node, device, streamClass] in
      // A single message is waited for directly, as a program that sends one would do.
      guard concurrency > 1 else { return }
      var through: UInt64 = 0
      while !Task.isCancelled {
        through = await node.stored(by: device, streamClass, after: through)
        await clock.stored(through: through)
      }
    }
    defer { watcher.cancel() }
    let text = text(size)
    let began = Durations.now()
    let each = try await every(count, concurrency) {
      let began = Durations.now()
      let sequence = try await give(text)
      let accepted = Durations.now()
      let stored = concurrency > 1 ? await clock.wait(for: sequence) : await stored(beyond: sequence - 1)
      return (asked: stored - began, accepted: stored - accepted)
    }
    let ended = Durations.now()
    var (asked, accepted) = (Durations(), Durations())
    for one in each {
      asked.record(one.asked)
      accepted.record(one.accepted)
    }
    return ((began, ended), asked, accepted)
  }

  /// Returns a text that makes a message about so many bytes long; a record of use has other
  /// fields, too.
  private func text(_ size: Int) -> String {
    String(repeating: "m", count: streamClass == .usage ? max(1, size - 100) : size)
  }

  private func every<Value: Sendable>(
    _ count: Int, _ concurrency: Int, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> [Value] {
    let remaining = Countdown(count)
    return try await withThrowingTaskGroup(of: [Value].self) { group in
      for _ in 0..<min(concurrency, count) {
        group.addTask {
          var values: [Value] = []
          while remaining.take() { values.append(try await body()) }
          return values
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Makes a message durably accepted; returns its number.
  private func give(_ text: String) async throws -> UInt64 {
    guard streamClass == .usage else { return try await node.send(.message(text), to: device).sequence }
    let next = numbers.next()
    guard let id = RecordID(bytes: next.id), let app = AppID("org.example.Game") else {
      throw BenchFault("No record can be made.")
    }
    let record = UsageRecord(
      recordID: id, device: own, appID: app, displayName: text, sessionStart: next.start,
      sessionEnd: next.start + 600_000, zone: "Europe/Berlin", activeMilliseconds: 600_000, category: .learning,
      milliPointsPerMinute: 1_000, earnedMilliPoints: 10_000,
      evidence: .tracked)
    return try await node.report([record])[device] ?? 0
  }
}
