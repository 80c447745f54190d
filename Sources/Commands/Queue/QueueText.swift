import ArgumentParser
import LatchkeyModel

/// The words for queued items.
enum QueueText {
  /// The kinds of item, as people call them, most urgent first.
  static let kinds = StreamClass.allCases.map(kind)

  private static func kind(_ streamClass: StreamClass) -> String {
    switch streamClass {
    case .control: "notice"
    case .command: "command"
    case .receipt: "answer"
    case .usage: "use"
    }
  }

  @Sendable static func readKind(_ text: String) throws -> StreamClass {
    guard let match = StreamClass.allCases.first(where: { kind($0) == text.lowercased() }) else {
      throw ValidationError("There is no such kind of item: take one of \(kinds.joined(separator: ", ")).")
    }
    return match
  }

  /// Returns the name of an item, such as `command 12`.
  static func name(_ entry: QueueEntry) -> String { "\(kind(entry.streamClass)) \(entry.number)" }

  static func content(_ content: QueueEntry.Content) -> String {
    switch content {
    case .command(let command): CommandText.request(command.payload)
    case .receipt(let receipt): "answer to command \(receipt.commandID.description.prefix(13))"
    case .usage(let record) where record.sessions > 1:
      "total of \(record.sessions) sessions of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .usage(let record): "use of \(record.displayName), \(ShownText.duration(record.activeMilliseconds))"
    case .loss(let loss): "report of \(ShownText.count(loss.records, "usage record")) that had no room"
    case .control: "removal, new keys, or report of refused items"
    case .unreadable: "an item that this version cannot read"
    }
  }

  static func state(_ entry: QueueEntry) -> String {
    if entry.isInFlight { return "on its way" }
    guard let rest = entry.expiresInMilliseconds else { return "waits" }
    return "waits, expires in \(SpanText.of(rest))"
  }

  /// Returns a number of items of a class as people call them, such as `3 commands`.
  static func items(_ number: Int64, _ streamClass: StreamClass) -> String {
    switch streamClass {
    case .control: ShownText.count(number, "notice")
    case .command: ShownText.count(number, "command")
    case .receipt: ShownText.count(number, "answer")
    case .usage: number == 1 ? "1 record of use" : "\(number) records of use"
    }
  }

  /// Returns a sentence for each fate of items that left a queue undelivered.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - now: The present time in Unix milliseconds.
  ///   - isVerbose: Whether to include old counts, and counts of items whose loss has no effect.
  /// - Returns: The sentences.
  static func undelivered(_ queue: QueueStatus, now: Int64, isVerbose: Bool) -> [String] {
    queue.undelivered.filter { isVerbose || isNews($0, now: now) }.map { tally in
      let items = items(tally.items, queue.streamClass)
      let last =
        tally.items == 1 ? ShownText.ago(tally.lastAt, now: now) : "the last \(ShownText.ago(tally.lastAt, now: now))"
      return switch tally.fate {
      case .expired: "\(items) expired before the machine was in touch, \(last)."
      case .cancelled: "\(items) cancelled, \(last)."
      case .merged: "\(items) merged into totals because the queue was full, \(last)."
      case .refused: "\(items) refused by that machine, \(last): see the warnings of `latchkey status`."
      case .dropped: "\(items) dropped because the queue was full or the machine was unpaired, \(last)."
      }
    }
  }

  /// The time for which a loss is news.
  private static let newsMilliseconds: Int64 = 86_400_000

  private static func isNews(_ tally: QueueTally, now: Int64) -> Bool {
    switch tally.fate {
    case .cancelled, .merged: false
    case .expired, .refused, .dropped: now - tally.lastAt < newsMilliseconds
    }
  }
}
