import Foundation
import LatchkeyModel

/// A node's status as people read it: people and machines first, figures only when asked for.
struct StatusText {
  let status: NodeStatus
  /// Unix milliseconds.
  let now: Int64
  let zone: TimeZone
  /// A Boolean value that indicates whether to show IDs, memory, complete queues, and old events.
  var isVerbose = false
  /// What weakens the rules on children's machines.
  var conditions: [ConditionListing] = []

  /// Returns whether the page of a status has times of day, which depend on the zone.
  static func showsMoments(of status: NodeStatus) -> Bool {
    !status.running.isEmpty || status.messages.contains { !$0.isRead }
      || status.peers.contains { !($0.otherParents ?? []).isEmpty }
  }

  func render() -> String {
    [head, peers, running, queues, troubles, warnings, messages].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var head: String {
    let title = "\(ShownText.quoted(status.name)) (\(status.role.rawValue))".asHeading + "\n"
    var rows: [(String, String)] = []
    // With machines, each one's own state says more.
    if status.peers.isEmpty || isVerbose { rows.append(("sync", SyncText.sentence(status.sync, now: now))) }
    if status.listening.isEmpty || isVerbose {
      rows.append(("address", status.listening.isEmpty ? "not listening" : status.listening.joined(separator: ", ")))
    }
    if isVerbose || DiscoveryText.isUnusual(status.discovery) {
      rows.append(("discovery", DiscoveryText.words(status.discovery)))
    }
    if isVerbose {
      rows += [
        ("device ID", status.deviceID.description), ("version", status.version),
        ("process", "\(status.processID), \(ShownText.megabytes(status.residentBytes)) of memory"),
      ]
    }
    return title + FieldsText.render(rows, indent: 2)
  }

  private var peers: String {
    let rows = status.peers.map { peer in
      [
        peer.device.name.text, peer.device.childName ?? "–", peer.device.role.rawValue,
        DeviceText.link(peer, now: now), SyncText.words(peer.sync, now: now), Self.waiting(peer.queues),
      ] + (isVerbose ? [peer.address ?? "–"] : [])
    }
    return TableText.render(
      ["Machine", "Whose", "Role", "Link", "Sync", "Waiting for it"] + (isVerbose ? ["Address"] : []),
      spare: [2] + (isVerbose ? [6] : []), wrap: [3, 4, 5], rows: rows,
      empty: "No machine is paired with this one: "
        + (status.role == .parent
          ? "run `latchkey pair` here and on the other machine."
          : "run `latchkey pair` on the parent's machine and here."))
  }

  /// The programs that run on children's machines.
  private var running: String {
    status.running.map { session in
      let whose = session.childName.map { "\(ShownText.safe($0.text)): " } ?? ""
      let time = TimeText.short(session.since, zone: zone)
      let today = time.prefix(10) == TimeText.short(now, zone: zone).prefix(10)
      return "\(whose)\(ShownText.safe(session.displayName)) on \(ShownText.quoted(session.deviceName)) since "
        + (today ? time.suffix(5) : time[...]) + (session.isStale ? " (not heard of lately)" : "") + "."
    }.map { $0.inWidth + "\n" }.joined()
  }

  /// Returns the queued items by class, such as `2 commands, 1 record of use`.
  static func waiting(_ queues: [QueueStatus]) -> String {
    let parts = queues.sorted { $0.streamClass < $1.streamClass }.filter { $0.waitingItems > 0 }
      .map { QueueText.items($0.waitingItems, $0.streamClass) }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  /// The queued items with their age, if requested, and the items that left a queue undelivered.
  private var queues: String {
    var rows: [[String]] = []
    var notes = ""
    for peer in status.peers {
      for queue in peer.queues {
        for sentence in QueueText.undelivered(queue, now: now, isVerbose: isVerbose) {
          notes += "\(ShownText.quoted(peer.device.name)): \(sentence)".inWidth + "\n"
        }
        guard isVerbose, queue.waitingItems > 0 else { continue }
        rows.append([
          peer.device.name.text, QueueText.items(queue.waitingItems, queue.streamClass),
          ShownText.bytes(queue.waitingBytes), queue.oldestAgeMilliseconds.map(SpanText.of) ?? "–",
          "\(queue.inFlightItems)", queue.lastStoredAt.map { ShownText.ago($0, now: now) } ?? "never",
          peer.isConnected ? "–" : "\(peer.retries)", nextTry(peer),
        ])
      }
    }
    for peer in status.former {
      for sentence in peer.queues.flatMap({ QueueText.undelivered($0, now: now, isVerbose: isVerbose) }) {
        notes += "\(ShownText.quoted(peer.name)), which is paired no more: \(sentence)".inWidth + "\n"
      }
    }
    if rows.isEmpty { return notes }
    return TableText.render(
      ["Waiting for", "What", "Size", "Longest", "On its way", "Last delivered", "Failed calls", "Next call"],
      spare: [2, 4, 6], wrap: [1, 7], rows: rows, empty: "") + notes
  }

  private func nextTry(_ peer: PeerStatus) -> String {
    if peer.isConnected { return "–" }
    guard let next = peer.nextTryInMilliseconds else { return "when it appears" }
    return next < 1_000 ? "now" : "in " + SpanText.of(next)
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
    OtherParentsText.sentences(status.peers, zone: zone).map { sentence, isNews in
      isNews ? ("Warning: " + sentence).inWidth.asWarning + "\n" : sentence.inWidth + "\n"
    }.joined()
      + (status.warnings + conditions.filter(\.isWarning).compactMap(Self.sentence)).map {
        ("Warning: " + ShownText.safe($0)).inWidth.asWarning + "\n"
      }.joined()
  }

  private static func sentence(_ listing: ConditionListing) -> String? {
    listing.words(on: "“\(listing.deviceName)”").map { "\($0.sentence) \($0.next)" }
  }

  private var messages: String {
    let unread = status.messages.filter { !$0.isRead }
    if unread.isEmpty { return "" }
    return unread.map { message in
      let sender = DeviceNames(status).name(message.author)
      return MessageText.line(message, from: sender, zone: zone).inWidth + "\n"
    }.joined() + "`latchkey messages` marks them as read.".inWidth + "\n"
  }
}

enum MessageText {
  /// Returns one line with a message, its sender, if still known, and when it was sent.
  static func line(
    _ message: ReceivedMessage, from sender: DeviceName?, zone: TimeZone, in language: Language = .english
  ) -> String {
    var arguments: [String: Phrase.Argument] = [
      "time": .text(TimeText.short(message.commandID.milliseconds, zone: zone)),
      "text": .phrase(Phrase("“{name}”", ["name": .text(message.text)])),
    ]
    guard let sender else { return ShownText.worded(Phrase("Message, sent {time}: {text}", arguments), in: language) }
    arguments["machine"] = sender.quotation
    return ShownText.worded(Phrase("Message from {machine}, sent {time}: {text}", arguments), in: language)
  }
}

/// The words for the back end that finds other machines.
enum DiscoveryText {
  /// Returns whether machines are not found by mDNS, which a person should know.
  static func isUnusual(_ state: String) -> Bool { DiscoveryBackend(rawValue: state)?.isLooking != true }

  /// Returns what finds machines, or why none are found, to follow a machine's name.
  static func words(_ state: String) -> String {
    guard let backend = DiscoveryBackend(rawValue: state) else { return "does not find machines: \(state)" }
    return backend.sentence.prefix(1).lowercased() + backend.sentence.dropFirst()
  }
}
