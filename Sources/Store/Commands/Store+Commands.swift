import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Stores a command and its place in the outbox, in one transaction.
  ///
  /// The lifetime is in milliseconds; 0 for no limit, `nil` for the default of the kind. `make`
  /// creates the payload from the present state and the hybrid clock, whose readings are stored
  /// with it. Throws `StoreError`, such as `queueFull`, `noSuchPeer`, or a fault of the disk.
  public func issue(
    _ id: CommandID, to device: DeviceID, expiresAfter: Int64? = nil, at wall: Int64,
    make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> CommandPayload
  ) async throws(StoreError) -> (command: ConfigurationCommand, change: OutboxChange) {
    let age = age()
    return try await commits.commitTogether { [own, coding] database, group in
      let peer = try group.active(device, database)
      var effects = DatabaseEffects(database, coding, own: own, author: own, at: wall)
      let payload = try make(&effects, ClockReader { try database.tick(wall: wall, author: own) })
      return try database.issue(id, payload, to: peer, expiresAfter: expiresAfter, self, in: group, age: age, at: wall)
    }
  }

  /// Cancels a command before it is stored on the child's machine; its number is sent as a skip.
  ///
  /// Returns the command as it is now, and whether this call cancelled it; `nil` if the ID is
  /// unknown.
  public func cancel(
    _ id: CommandID, at wall: Int64
  ) async throws(StoreError) -> (command: ConfigurationCommand, wasCancelled: Bool)? {
    try await commits.commit(.upkeep) { [own, coding] database in
      guard let row = try database.commandRow(id) else { return nil }
      let command = try ConfigurationCommand(row, author: own, coding)
      guard command.status == .queued else { return (command, false) }
      try database.take(row, to: .cancelled, nil, at: wall)
      guard let present = try database.commandRow(id) else { return nil }
      return (try ConfigurationCommand(present, author: own, coding), true)
    }
  }

  /// Returns commands, newest first.
  public func commands(device: DeviceID?, limit: Int) async throws(StoreError) -> [ConfigurationCommand] {
    try await read { [own, coding] database in
      let condition = device == nil ? "" : " WHERE c.peer = (SELECT number FROM peer WHERE device_id = ?)"
      let arguments: StatementArguments = device.map { [Data($0.bytes), limit] } ?? [limit]
      return try database.rows(Database.selectCommands + condition + " ORDER BY command_id DESC LIMIT ?", arguments)
        .map { try ConfigurationCommand($0, author: own, coding) }
    }
  }

  /// Returns the last ID, in their order, of the commands issued here; `nil` for none.
  public func newestCommandID() async throws(StoreError) -> CommandID? {
    try await read { database in
      try database.row("SELECT MAX(command_id) FROM command").flatMap { $0[0] as Data? }.flatMap {
        CommandID(bytes: $0)
      }
    }
  }

  /// Returns a command; `nil` if its ID is unknown.
  public func command(_ id: CommandID) async throws(StoreError) -> ConfigurationCommand? {
    try await read { [own, coding] database in
      try database.commandRow(id).map { try ConfigurationCommand($0, author: own, coding) }
    }
  }

  /// Returns the IDs whose text begins with `prefix` (hexadecimal digits, at least 4), at most two.
  public func commandIDs(beginning prefix: String) async throws(StoreError) -> [CommandID] {
    try await read { database in
      try database.rows(
        "SELECT command_id FROM command WHERE lower(hex(command_id)) LIKE ? || '%' ORDER BY command_id DESC LIMIT 2",
        [prefix]
      ).compactMap { CommandID(bytes: $0["command_id"] as Data) }
    }
  }
}

extension ConfigurationCommand {
  init(_ row: Row, author: DeviceID, _ coding: any BodyCoding) throws {
    let body = try coding.command(row.bytes("body"))
    guard let status = CommandStatus(rawValue: row["status"]) else { throw StoreError.unexpected("a command's status") }
    let (reason, wait) = (row.told("reason", "reason_phrase"), row.told("waits_for", "wait_phrase"))
    self.init(
      commandID: body.commandID, target: try row.deviceID("device_id"), author: body.author, payload: body.payload,
      createdAt: row["created_at"], expiresAfter: row["expires_after"], status: status, statusAt: row["status_at"],
      reason: reason?.english, waitsFor: status == .stored ? wait?.english : nil,
      stateInForce: try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }, through: row["through"])
    reasonPhrase = reason?.phrase
    waitPhrase = status == .stored ? wait?.phrase : nil
  }
}

extension Database {
  /// Makes a command durable, with its place in the outbox.
  func issue(
    _ id: CommandID, _ payload: CommandPayload, to peer: OutboxAddress, expiresAfter: Int64?, _ store: Store,
    in group: WriteGroup, age: Int64, at wall: Int64
  ) throws -> (command: ConfigurationCommand, change: OutboxChange) {
    let body = store.coding.encode(CommandBody(commandID: id, author: store.own, createdAt: wall, payload: payload))
    guard body.count <= Limits.itemBodyBytes else { throw StoreError.unexpected("a command over 32 KiB") }
    let bytes = id.bytes
    let change = try enqueue(
      peer, .command, kind: .command, itemID: bytes, body: body, caps: store.caps, in: group, at: wall)
    let lifetime = expiresAfter.map { $0 == 0 ? nil : $0 } ?? payload.usualLifetime
    if lifetime != nil { group.noteAge(store.clock) }
    let browser = Through.browser
    let statement = try group.statement(
      .issue,
      """
      INSERT INTO command (command_id, peer, kind, body, created_at, created_age, status, status_at, seq,
        expires_after, expires_age, epoch, through)
      VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)
      """, self)
    try run(statement) {
      $0.add(bytes)
      $0.add(peer.number)
      $0.add(payload.kind.rawValue)
      $0.add(body)
      $0.add(wall)
      $0.add(age)
      $0.add(wall)
      $0.add(Int64(bitPattern: change.last))
      $0.add(lifetime)
      $0.add(lifetime.map { age + $0 })
      $0.add(Int64(bitPattern: change.epoch))
      $0.add(browser)
    }
    return (
      ConfigurationCommand(
        commandID: id, target: peer.device, author: store.own, payload: payload, createdAt: wall,
        expiresAfter: lifetime, statusAt: wall, through: browser), change
    )
  }

  fileprivate static let selectCommands = "SELECT c.*, p.device_id FROM command c JOIN peer p ON p.number = c.peer"

  func commandRow(_ id: CommandID) throws -> Row? {
    try row(Self.selectCommands + " WHERE command_id = ?", [Data(id.bytes)])
  }

  /// Returns whether expired commands are still in a peer's queue.
  func hasExpired(_ peer: Int64, age: Int64) throws -> Bool {
    try exists(
      // The index on expiry is used: few commands expire, and a peer may have a long history.
      "SELECT 1 FROM command WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? AND +peer = ? LIMIT 1",
      [age, peer])
  }

  /// Removes a queued command from its queue permanently; `row` is of the table of commands.
  func take(_ row: Row, to status: CommandStatus, _ reason: ToldSentence?, at wall: Int64) throws {
    let id: Data = row["command_id"]
    try run(
      "UPDATE command SET status = ?, status_at = ?, reason = ?, reason_phrase = ? WHERE command_id = ?",
      [status.rawValue, wall, reason?.english, reason?.storedPhrase, id])
    try withdraw(row["peer"], .command, row["seq"], itemID: id, as: DeliveryFate(rawValue: status.rawValue), at: wall)
  }
}

/// The expiry of commands. Spec: Protocol/05-delivery.md §10.
extension Store {
  /// Removes expired commands from the queues, at most 4,096 and fewer on a full disk, and returns
  /// them.
  @discardableResult
  public func expireDue(at wall: Int64) async throws(StoreError) -> [CommandID] {
    do throws(StoreError) { return try await expireDue(at: wall, limit: 4_096) } catch .diskFull {}
    return try await expireDue(at: wall, limit: 8)
  }

  private func expireDue(at wall: Int64, limit: Int) async throws(StoreError) -> [CommandID] {
    let age = age()
    return try await commits.commit(.upkeep) { [clock] database in
      try database.noteAge(clock)
      let due = try database.rows(
        """
        SELECT * FROM command
        WHERE status = 'queued' AND expires_age IS NOT NULL AND expires_age <= ? ORDER BY command_id LIMIT ?
        """, [age, limit])
      return try due.compactMap { row in
        try database.take(
          row, to: .expired,
          ToldSentence(Phrase("It expired before the machine was in touch: give it again if it still matters.")),
          at: wall)
        return CommandID(bytes: row["command_id"] as Data)
      }
    }
  }

  /// Returns the time until the next command or pending effect expires, in milliseconds; `nil` if
  /// none can.
  public func untilNextExpiry() async throws(StoreError) -> Int64? {
    let age = age()
    return try await read { database in
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: "SELECT MIN(expires_age) FROM command WHERE status = 'queued' AND expires_age IS NOT NULL"))
      let effect = try Int64.fetchOne(database.cachedStatement(sql: "SELECT MIN(due_age) FROM pending_effect"))
      return [next, effect].compactMap { $0 }.min().map { max(0, $0 - age) }
    }
  }
}

extension Store {
  /// Returns texts that parents sent, newest first.
  public func messages(limit: Int) async throws(StoreError) -> [ReceivedMessage] {
    try await read { database in try database.messages(limit: limit) }
  }

  /// Marks a message as read, unless it was before, and returns it; `nil` if the ID is unknown.
  public func markRead(_ id: CommandID, at wall: Int64) async throws(StoreError) -> ReceivedMessage? {
    try await commits.commit(.upkeep) { database in
      try database.run(
        """
        INSERT INTO read_message (command_id, read_at)
        SELECT command_id, ? FROM received_message WHERE command_id = ? ORDER BY number DESC LIMIT 1
        ON CONFLICT DO NOTHING
        """, [wall, Data(id.bytes)])
      // What a person reads is among the newest.
      return try database.row(
        Database.selectMessages + " WHERE command_id = ? ORDER BY number DESC LIMIT 1", [Data(id.bytes)]
      ).flatMap(Database.message)
    }
  }
}

extension Database {
  func messages(limit: Int) throws -> [ReceivedMessage] {
    try rows(Self.selectMessages + " ORDER BY number DESC LIMIT ?", [limit])
      .compactMap(Self.message)
  }

  fileprivate static let selectMessages =
    "SELECT received_message.*, read_at FROM received_message LEFT JOIN read_message USING (command_id)"

  fileprivate static func message(_ row: Row) throws -> ReceivedMessage? {
    guard let id = CommandID(bytes: row["command_id"] as Data) else { return nil }
    return ReceivedMessage(
      commandID: id, author: try row.deviceID("author"), text: row["text"], at: row["received_at"],
      isRead: (row["read_at"] as Int64?) != nil)
  }
}
