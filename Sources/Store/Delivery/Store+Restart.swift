import Foundation
import GRDB
import LatchkeyModel

/// The restart of streams. Spec: Protocol/05-delivery.md §5.
extension Store {
  /// Gives the rest of a stream a new epoch and numbers from 1, because the peer's history differs.
  ///
  /// Items that the peer reported as stored and has lost are queued again, as far as they are known
  /// here. These are unanswered commands, executed commands that have not expired, the last
  /// receipts, and this machine's usage records. The peer recognizes those that it still has by
  /// their IDs. Other lost commands no longer count as executed. A peer that holds an epoch which
  /// this machine never gave the stream has lost nothing: this machine was restored. The same
  /// transaction records which machine was restored (`setBacks`). `epoch` is a random number other
  /// than 0.
  public func restart(
    _ device: DeviceID, _ streamClass: StreamClass, epoch: UInt64, cause: RestartCause, at wall: Int64
  ) async throws(StoreError) -> OutboxPosition {
    let age = age()
    return try await commits.commit(.upkeep) { [clock] database in
      let peer = try database.address(of: device)
      // Evidence from before a removal means nothing for a removed device. Its streams are closed,
      // except for the control stream that carries the removal.
      let state = try database.first(
        "SELECT state FROM peer WHERE number = ?", [peer.number], { PeerRecord.State(rawValue: $0.integer(0)) })
      guard state != .removed, state != .removedUntold || streamClass == .control else { throw StoreError.noSuchPeer }
      try database.noteAge(clock)
      let before = try database.first(
        "SELECT epoch FROM outbox_stream WHERE peer = ? AND class = ?", [peer.number, Int64(streamClass.rawValue)],
        { $0.unsigned(0) })
      let isForgotten = try database.isForgotten(cause, of: streamClass, to: peer.number, epoch: before)
      try database.noteSetBack(
        peer.number, isForgotten ? .peerIsAhead : SetBack.Cause(cause), "\(streamClass.rawValue):\(epoch)", age: age,
        at: wall)
      let group = WriteGroup(age: age)
      let queue = UsageQueue(database: database, group: group, parent: peer, store: self, wall: wall)
      let items = try database.remainder(of: streamClass, to: peer)
      // Items that still wait are not queued twice.
      let known = Set(items.map(\.id))
      var wanted = items
      switch (streamClass, cause) {
      case (.command, _):
        let cause = isForgotten ? .peerIsAhead : cause
        wanted = try database.unanswered(peer, cause, epoch: before, age: age, at: wall) + items
      case (.receipt, .peerLost(let held, _)):
        wanted = try database.receipts(peer, after: held).filter { !known.contains($0.id) } + items
      // This applies whichever side was restored: the other side answers a new epoch with what it
      // holds.
      case (.control, _):
        wanted = try items.filter { $0.kind != .facts } + database.factItems(for: peer, self)
        let parents = try database.addresses(role: .parent)
        guard parents.contains(peer) else { break }
        wanted.removeAll { [.registers, .inventory].contains($0.kind) }
        wanted += try Inventories(database: database, store: self, wall: wall).householdItems()
      case (.usage, .peerLost):
        // Items that were forwarded to a child's machine are forwarded again.
        try database.run("DELETE FROM use_shared WHERE peer = ?", [peer.number])
        wanted = try queue.everything().filter { !known.contains($0.id) } + items
      case (.receipt, .peerIsAhead), (.usage, .peerIsAhead): break
      }
      try database.note(epoch: epoch, after: before, of: streamClass, to: peer.number)
      try database.run(
        "DELETE FROM outbox_item WHERE \(OutboxPlace.stream("?1", streamClass))", [peer.number])
      // The time of the peer's last acknowledgement is kept.
      try database.run(
        """
        INSERT INTO outbox_stream (peer, class, epoch, last, stored_through, waiting_items, waiting_bytes)
        VALUES (?, ?, ?, 0, 0, 0, 0) ON CONFLICT DO UPDATE SET epoch = excluded.epoch, last = 0, stored_through = 0,
          waiting_items = 0, waiting_bytes = 0, sent_bound = 0, stored_item = 0, stored_item_id = x''
        """, [peer.number, Int64(streamClass.rawValue), Int64(bitPattern: epoch)])
      var given: UInt64 = 0
      for item in wanted {
        // The repeated items may exceed the limit, which applies to new work.
        given = try database.enqueue(
          peer, streamClass, kind: item.kind, itemID: item.id, body: item.body, level: item.level,
          caps: QueueCaps(items: .max, bytes: .max), since: item.acceptedAt.map { ($0, item.acceptedAge) }, in: group,
          at: wall
        ).last
        if streamClass == .command {
          try database.run(
            "UPDATE command SET seq = ?, epoch = ? WHERE command_id = ?",
            [Int64(bitPattern: given), Int64(bitPattern: epoch), Data(item.id)])
        }
        if streamClass == .receipt {
          try database.run(
            "UPDATE applied_command SET receipt_epoch = ?, receipt_seq = ? WHERE command_id = ?",
            [Int64(bitPattern: epoch), Int64(bitPattern: given), Data(item.id)])
        }
      }
      try group.settle(database)
      // The peer may have any of these items under earlier numbers. They count as sent and are not
      // merged into totals.
      try database.run(
        "UPDATE outbox_stream SET sent_bound = last, restart_bound = last WHERE peer = ? AND class = ?",
        [peer.number, Int64(streamClass.rawValue)])
      return OutboxPosition(epoch: epoch, storedThrough: 0, last: given)
    }
  }
}

extension Database {
  fileprivate func remainder(of streamClass: StreamClass, to peer: OutboxAddress) throws -> [QueuedItem] {
    try rows(
      """
      SELECT kind, item_id, body, level, accepted_at, accepted_age FROM outbox_item
      WHERE \(OutboxPlace.stream("?1", streamClass)) ORDER BY place
      """, [peer.number]
    ).map {
      QueuedItem(
        kind: ItemKind(rawValue: UInt32(clamping: $0[0] as Int64)), id: $0.bytes("item_id"), body: $0.bytes("body"),
        level: $0["level"], acceptedAt: $0["accepted_at"], acceptedAge: $0["accepted_age"])
    }
  }

  /// Returns the commands to be sent again, in the order of their IDs, and marks them as queued.
  ///
  /// These are the commands that the peer had stored and not answered. If it has lost data, they
  /// also include the lost commands that have not expired. `epoch` is the stream's epoch before the
  /// restart.
  fileprivate func unanswered(
    _ peer: OutboxAddress, _ cause: RestartCause, epoch: UInt64?, age: Int64, at wall: Int64
  ) throws -> [QueuedItem] {
    var conditions = ["status = 'stored'"]
    var isLost: String?
    if case .peerLost(let held, let earlier) = cause {
      let condition = try self.isLost(from: peer.number, after: held, earlier: earlier, epoch: epoch)
      conditions.append("status = 'executed' AND \(condition) AND (expires_age IS NULL OR expires_age > \(age))")
      isLost = condition
    }
    var items: [(id: [UInt8], body: [UInt8])] = []
    for condition in conditions {
      items += try rows(
        "SELECT command_id, body FROM command WHERE peer = ? AND \(condition) ORDER BY command_id", [peer.number]
      ).map { ($0.bytes("command_id"), $0.bytes("body")) }
    }
    // A command that was stored and not answered was stored in time. It does not expire because it
    // was lost there.
    let again = try sentAgainReason(peer)
    for item in items {
      try run(
        """
        UPDATE command SET status = 'queued', status_at = ?1, state = NULL,
          expires_age = iif(status = 'executed', expires_age, NULL),
          reason = iif(status = 'executed', ?2, reason), reason_phrase = iif(status = 'executed', ?3, reason_phrase)
        WHERE command_id = ?4
        """, [wall, again.english, again.storedPhrase, Data(item.id)])
    }
    if let isLost { try markLostCommands(peer, isLost: isLost, at: wall) }
    return items.sorted { Data($0.id).lexicographicallyPrecedes(Data($1.id)) }
      .map { QueuedItem(kind: .command, id: $0.id, body: $0.body, level: 0) }
  }

  /// Returns the receipts that a peer has lost, in the order in which they were queued; at most the
  /// last 100,000.
  ///
  /// `held` is the last number that it still has of the present epoch; 0 if it has nothing of any
  /// epoch.
  fileprivate func receipts(_ peer: OutboxAddress, after held: UInt64) throws -> [QueuedItem] {
    try rows(
      """
      SELECT command_id, receipt FROM applied_command
      WHERE peer = ?1 AND (?2 = 0 OR receipt_seq > ?2
        AND receipt_epoch = (SELECT epoch FROM outbox_stream WHERE peer = ?1 AND class = \(ItemNumber.receipt)))
      ORDER BY receipt_epoch = (SELECT epoch FROM outbox_stream WHERE peer = ?1 AND class = \(ItemNumber.receipt)) DESC,
        receipt_seq DESC, command_id DESC LIMIT 100000
      """, [peer.number, Int64(bitPattern: held)]
    ).reversed().map {
      QueuedItem(kind: .receipt, id: $0.bytes("command_id"), body: $0.bytes("receipt"), level: 0)
    }
  }
}

/// The epochs of streams, and the commands that a peer has lost. Spec: Protocol/05-delivery.md §5.
extension Database {
  /// The number of a stream's epochs whose order is kept.
  private static var keptEpochs: Int { 256 }

  /// Records that one epoch of a stream to a peer follows another.
  func note(epoch: UInt64, after before: UInt64?, of streamClass: StreamClass, to peer: Int64) throws {
    let number = Int64(streamClass.rawValue)
    for epoch in [before, epoch].compactMap({ $0 }) {
      try run(
        "INSERT INTO outbox_epoch (peer, class, epoch) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [peer, number, Int64(bitPattern: epoch)])
    }
    try run(
      """
      DELETE FROM outbox_epoch WHERE peer = ?1 AND class = ?2 AND number <=
        (SELECT number FROM outbox_epoch WHERE peer = ?1 AND class = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
      """, [peer, number, Self.keptEpochs])
  }

  /// Returns whether this machine has forgotten the epoch under which a peer holds a stream.
  ///
  /// Only this machine gives the stream epochs, so it was restored to an earlier state. `epoch` is
  /// the stream's present one.
  func isForgotten(_ cause: RestartCause, of streamClass: StreamClass, to peer: Int64, epoch: UInt64?) throws -> Bool {
    guard case .peerLost(_, let earlier?) = cause, earlier.epoch != epoch else { return false }
    return try !exists(
      "SELECT 1 FROM outbox_epoch WHERE peer = ? AND class = ? AND epoch = ?",
      [peer, Int64(streamClass.rawValue), Int64(bitPattern: earlier.epoch)])
  }

  /// Returns an SQL condition for the commands that a restored child has lost.
  ///
  /// Everything from epochs after the child's is lost. Commands of earlier epochs are not lost.
  /// Each restart gives numbers of the new epoch to the commands that the child lacked at that
  /// time. `epoch` is the command stream's epoch before the restart.
  func isLost(from peer: Int64, after held: UInt64, earlier: StreamPosition?, epoch: UInt64?) throws -> String {
    func number(_ value: UInt64) -> String { "\(Int64(bitPattern: value))" }
    if let earlier {
      let place = try integer(
        "SELECT number FROM outbox_epoch WHERE peer = ? AND class = \(ItemNumber.command) AND epoch = ?",
        [peer, Int64(bitPattern: earlier.epoch)])
      guard let place else { return "TRUE" }
      return """
        (epoch = \(number(earlier.epoch)) AND seq > \(number(earlier.through)) OR EXISTS (SELECT 1 FROM outbox_epoch later
          WHERE later.peer = command.peer AND later.class = \(ItemNumber.command) AND later.epoch = command.epoch AND later.number > \(place)))
        """
    }
    guard held > 0, let epoch else { return "TRUE" }
    return "(epoch = \(number(epoch)) AND seq > \(number(held)))"
  }

  /// Marks lost commands as no longer executed if they are not sent again; `isLost` is an SQL
  /// condition for lost commands.
  func markLostCommands(_ peer: OutboxAddress, isLost: String, at wall: Int64) throws {
    let reason = ToldSentence(
      Phrase(
        "{machine} has lost data and no longer has this: give it again if it still matters.",
        ["machine": .text(try name(of: peer))]))
    try run(
      """
      UPDATE command SET status = 'failed', status_at = ?2, state = NULL, reason = ?3, reason_phrase = ?4
      WHERE peer = ?1 AND status = 'executed' AND \(isLost)
      """, [peer.number, wall, reason.english, reason.storedPhrase])
  }

  func sentAgainReason(_ peer: OutboxAddress) throws -> ToldSentence {
    ToldSentence(Phrase("{machine} has lost data, so this is sent again.", ["machine": .text(try name(of: peer))]))
  }

  private func name(of peer: OutboxAddress) throws -> String {
    try row("SELECT name FROM peer WHERE number = ?", [peer.number])?["name"] ?? ""
  }
}
