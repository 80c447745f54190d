import GRDB
import LatchkeyModel

/// The epochs of streams, and the commands that a peer has lost. Spec: Protocol/05-delivery.md §5.
extension Database {
  /// Epochs of a stream whose order is kept.
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
  /// Everything from epochs after the child's is lost. Commands of earlier epochs are not lost:
  /// each restart gives those that the child lacked at that time a number of the new epoch. `epoch`
  /// is that of the command stream before the restart.
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
