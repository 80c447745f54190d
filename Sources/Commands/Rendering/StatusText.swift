import Foundation
import LatchkeyModel

/// A node's status as people read it.
struct StatusText {
  let status: NodeStatus
  /// Unix milliseconds.
  let now: Int64
  let zone: TimeZone

  /// The whole page.
  func render() -> String {
    [head, peers, queues, troubles, warnings, messages].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var head: String {
    let rows = [
      ("device ID", status.deviceID.description),
      ("address", status.listening.isEmpty ? "not listening" : status.listening.joined(separator: ", ")),
      ("discovery", status.discovery),
      ("sync", SyncText.sentence(status.sync, now: now)),
      (
        "process",
        "\(status.processID), version \(status.version), \(ShownText.megabytes(status.residentBytes)) resident"
      ),
    ]
    return "\(ShownText.quoted(status.name)) (\(status.role.rawValue))".asHeading + "\n"
      + FieldsText.render(rows, indent: 2)
  }

  private var peers: String {
    let rows = status.peers.map { peer in
      [
        peer.device.name.text, peer.device.role.rawValue, link(peer), peer.address ?? "–",
        SyncText.words(peer.sync, now: now), Self.waiting(peer.queues),
        peer.device.lastSyncedAt.map { ShownText.ago($0, now: now) } ?? "never",
      ]
    }
    return TableText.render(
      ["Machine", "Role", "Link", "Address", "Sync", "Waiting for it", "Last sync"], spare: [6, 3, 1], rows: rows,
      empty: "No machine is paired with this one: "
        + (status.role == .parent
          ? "run `latchkey pair` here and on the other machine."
          : "run `latchkey pair` on the parent's machine and here."))
  }

  private func link(_ peer: PeerStatus) -> String {
    let words = DeviceText.link(peer)
    guard words.hasPrefix("offline"), let seen = peer.device.lastSeenAt else { return words }
    return "offline, seen \(ShownText.ago(seen, now: now))" + words.dropFirst("offline".count)
  }

  /// What waits, class by class.
  static func waiting(_ queues: [QueueStatus]) -> String {
    let parts = queues.sorted { $0.streamClass < $1.streamClass }.filter { $0.waitingItems > 0 }
      .map { "\($0.waitingItems) \($0.streamClass.word)" }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  /// Class by class what waits, and what left a queue undelivered.
  private var queues: String {
    var rows: [[String]] = []
    var notes = ""
    for peer in status.peers {
      for queue in peer.queues where queue.waitingItems > 0 || !queue.undelivered.isEmpty {
        rows.append([
          peer.device.name.text, queue.streamClass.word, "\(queue.waitingItems)",
          ShownText.bytes(queue.waitingBytes), queue.oldestAgeMilliseconds.map(SpanText.of) ?? "–",
          "\(queue.inFlightItems)", queue.lastStoredAt.map { ShownText.ago($0, now: now) } ?? "never",
          peer.isConnected ? "–" : "\(peer.retries)",
          peer.nextTryInMilliseconds.map { "in " + SpanText.of($0) } ?? "–",
        ])
        for sentence in QueueText.undelivered(queue, now: now) {
          notes += "\(ShownText.quoted(peer.device.name)): \(sentence)".inWidth + "\n"
        }
      }
    }
    for peer in status.former {
      for sentence in peer.queues.flatMap({ QueueText.undelivered($0, now: now) }) {
        notes += "\(ShownText.quoted(peer.name)), which is paired no more: \(sentence)".inWidth + "\n"
      }
    }
    if rows.isEmpty { return notes }
    return TableText.render(
      ["Queue for", "Class", "Waiting", "Size", "Oldest", "On its way", "Last stored", "Retries", "Next try"],
      spare: [7, 3, 6, 5], rows: rows,
      empty: "") + notes
  }

  private var troubles: String {
    status.peers.compactMap { peer in
      var words = peer.marks.compactMap { DeviceText.sentence($0, of: peer) }
      if let error = peer.lastError { words.append(ShownText.safe(error)) }
      if case .error(let reason, let next) = peer.sync {
        if peer.lastError != reason { words.append(ShownText.safe(reason)) }
        words.append(SyncText.nextTry(next))
      }
      return words.isEmpty
        ? nil : "\(ShownText.quoted(peer.device.name)): \(words.joined(separator: " "))".inWidth + "\n"
    }.joined()
  }

  private var warnings: String {
    status.warnings.map { ("Warning: " + ShownText.safe($0)).inWidth.asWarning + "\n" }.joined()
  }

  private var messages: String {
    status.messages.map { "Message of \(TimeText.short($0.at, zone: zone)): “\(ShownText.safe($0.text))”\n" }.joined()
  }
}
