import LatchkeyModel

/// The check of whether queues make progress.
struct QueueCheck: Check {
  /// The time that an item may wait for a connected machine, in milliseconds.
  static let stuck: Int64 = 120_000
  /// The time after which items for an absent machine are mentioned, in milliseconds.
  static let old: Int64 = 7 * 86_400_000

  func findings(_ facts: Facts) -> [Finding] {
    guard case .running(let status, _) = facts.node else { return [] }
    var findings: [Finding] = []
    for peer in status.peers {
      for queue in peer.queues {
        let id = peer.device.deviceID.short
        let what = "\(queue.waitingItems) \(queue.streamClass.word) item\(queue.waitingItems == 1 ? "" : "s")"
        if let age = queue.oldestAgeMilliseconds, queue.waitingItems > 0 {
          if peer.isConnected, age > Self.stuck {
            findings.append(
              Finding(
                "queue-stuck", .fault,
                "\(what) for “\(peer.device.name)” \(queue.waitingItems == 1 ? "has" : "have") not moved for \(SpanText.of(age)), though it is connected.",
                next: "Run `latchkey sync now \(id)`, and look at `latchkey doctor` and the disk there."))
          } else if age > Self.old {
            findings.append(
              Finding(
                "queue-old", .warning,
                "\(what) for “\(peer.device.name)” \(queue.waitingItems == 1 ? "has" : "have") waited for \(SpanText.of(age)).",
                next: "Bring the two machines together, or remove it with `latchkey devices unpair \(id)`."))
          }
        }
        for tally in queue.undelivered where tally.fate == .dropped && tally.items > 0 {
          findings.append(
            Finding(
              "queue-dropped", .warning,
              "\(tally.items) \(queue.streamClass.word) items for “\(peer.device.name)” were dropped because its queue was full.",
              next: "Keep the machines in touch, or let more wait with `latchkey run --queue-items`."))
        }
      }
    }
    return findings
  }
}
