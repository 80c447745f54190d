import LatchkeyModel

/// What waits, in words.
enum QueueText {
  static func content(_ content: QueueEntry.Content) -> String {
    switch content {
    case .command(let command): CommandText.request(command.payload)
    case .receipt(let receipt): "answer to command \(receipt.commandID.description.prefix(13))"
    case .usage(let record) where record.sessions > 1:
      "total of \(record.sessions) sessions of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .usage(let record): "use of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .loss(let loss): "word of \(ShownText.count(loss.records, "usage record")) that had no room"
    case .control: "removal, new keys, or word of refused items"
    case .unreadable: "an item that this version cannot read"
    }
  }

  static func state(_ entry: QueueEntry) -> String {
    if entry.isInFlight { return "on its way" }
    guard let rest = entry.expiresInMilliseconds else { return "waits" }
    return "waits, expires in \(SpanText.of(rest))"
  }

  /// What left a queue without being delivered, and why, one sentence each.
  static func undelivered(_ queue: QueueStatus, now: Int64) -> [String] {
    queue.undelivered.map { tally in
      let items = ShownText.count(tally.items, "\(queue.streamClass.word) item")
      let last = "the last \(ShownText.ago(tally.lastAt, now: now))"
      return switch tally.fate {
      case .superseded: "\(items) superseded by newer ones, \(last)."
      case .expired: "\(items) expired before the machine was in touch, \(last)."
      case .cancelled: "\(items) cancelled, \(last)."
      case .merged: "\(items) merged into totals because the queue was full, \(last)."
      case .refused:
        "\(items) refused by that machine, \(last): see the warnings of `latchkey status`."
      case .dropped: "\(items) dropped because the queue was full or the machine was unpaired, \(last)."
      }
    }
  }
}
