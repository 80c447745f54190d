import Foundation
import Histogram
import LatchkeyModel
import LatchkeyNode

/// The parent's part of a relay run: issues commands, a fixed number under way, and times each.
struct RelayLoad {
  private let node: NodeService

  init(_ node: NodeService) {
    self.node = node
  }

  func run() async throws {
    let invitation = try await node.invite(InviteRequest(acceptWithoutAsking: true))
    say("code \(invitation.code ?? "")")
    var progress = invitation
    while progress.phase != .ended {
      progress = try await node.pairing(id: invitation.pairingID, after: progress.change)
    }
    guard let device = progress.device?.deviceID else { return }
    while try await !node.status().peers.allSatisfy(\.isConnected) { await node.waitForChange(milliseconds: 100) }
    guard let line = readLine() else { return }
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 3 else { return }
    let (messages, size, concurrency) = (numbers[0], numbers[1], numbers[2])
    let text = String(repeating: "m", count: size)

    let clock = StoredClock()
    let watcher = Task { [node] in
      var through: UInt64 = 0
      while !Task.isCancelled {
        through = await node.commandsStored(by: device, after: through)
        await clock.stored(through: through)
      }
    }
    defer { watcher.cancel() }

    // Each first message of its kind warms what is made once.
    _ = try await measure(min(1_000, messages), text, device, 64, clock)
    let single = try await measure(min(2_000, messages), text, device, 1, clock)
    let begin = ContinuousClock.now
    let loaded = try await measure(messages, text, device, concurrency, clock)
    let stored = ContinuousClock.now
    // Receipts come in the order of the commands: the newest one's is the last.
    while try await node.commands(device: nil, limit: 1).contains(where: { !$0.status.isFinal }) {
      await node.waitForChange(milliseconds: 50)
    }
    let executed = ContinuousClock.now
    let report = RelayReport(
      messages: messages, size: size, concurrency: concurrency, messagesPerSecond: rate(messages, stored - begin),
      executedPerSecond: rate(messages, executed - begin), p50Microseconds: percentile(loaded, 50),
      p99Microseconds: percentile(loaded, 99), singleP50Microseconds: percentile(single, 50),
      singleP99Microseconds: percentile(single, 99), parentRSSBytes: try await node.status().residentBytes,
      childRSSBytes: 0, idleChildRSSBytes: 0)
    say("report \(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))")
    // Stay until the driver has asked the child.
    while readLine() != nil {}
  }

  /// Relay `count` messages with `concurrency` under way; gives the latencies in microseconds.
  private func measure(
    _ count: Int, _ text: String, _ device: DeviceID, _ concurrency: Int, _ clock: StoredClock
  ) async throws -> Histogram<UInt64> {
    let remaining = Countdown(count)
    let latencies = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for _ in 0..<min(concurrency, count) {
        group.addTask { [node] in
          var latencies: [Int64] = []
          while remaining.take() {
            let sequence = try await node.send(.message(text), to: device).sequence
            let accepted = ContinuousClock.now
            let stored = await clock.wait(for: sequence)
            let latency = max(.zero, stored - accepted).components
            latencies.append(latency.seconds * 1_000_000 + latency.attoseconds / 1_000_000_000_000)
          }
          return latencies
        }
      }
      return try await group.reduce(into: [Int64]()) { $0 += $1 }
    }
    var histogram = Histogram<UInt64>(highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: .three)
    for latency in latencies { histogram.record(UInt64(latency)) }
    return histogram
  }

  private func percentile(_ histogram: Histogram<UInt64>, _ percentile: Double) -> Int64 {
    Int64(histogram.valueAtPercentile(percentile))
  }

  private func rate(_ count: Int, _ duration: Duration) -> Double {
    let parts = duration.components
    return Double(count) / (Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
  }
}
