import GRDB
import LatchkeyModel

/// The state that the jobs of one transaction share: stream counters, the active parents, and the
/// longest usage sessions.
///
/// It is read and written once, and not for each job.
///
/// The database lags behind a group. `settle` writes the changes and discards the rest. It is
/// called before any job that does not know the group, and before the commit. A group ends with its
/// transaction, including after a rollback.
final class WriteGroup {
  private struct Key: Hashable {
    var peer: Int64
    var streamClass: StreamClass
  }

  private struct Stream {
    var epoch: UInt64
    var last: Int64
    var items: Int64
    var bytes: Int64
    var isNew: Bool
    var hasChanged = false
    /// The items that were added since the stream was read; `nil` in a class whose items may be
    /// merged or replaced while they wait.
    var added: CommittedItems?
  }

  /// The items that the transaction has added to streams so far.
  private var committed: [CommittedItems] = []
  private var streams: [Key: Stream] = [:]
  private var knownParents: [OutboxAddress]?
  private var active: [DeviceID: Int64] = [:]
  private var longest: [DeviceID: (milliseconds: Int64, hasChanged: Bool)] = [:]
  private var ageing: StoreClock?
  private var prepared: [Statement?] = []
  /// The commands of this machine whose answers the transaction brings, as their IDs in the order
  /// of the answers, by the number of the peer.
  ///
  /// `settle` keeps them. A job that queues a command again gives its stream a new epoch, so that
  /// no later job of the transaction takes it for stored.
  var answered: [Int64: [[UInt8]]] = [:]
  /// The greatest ID among the commands that this machine has answered; `nil` if it is not known
  /// yet.
  ///
  /// `settle` keeps it. Whatever answers a command notes it here. Jobs that do not know the group
  /// only delete answered commands, so that this ID can be too great, which costs a look-up.
  private var newestApplied: [UInt8]?
  /// The time of the age clock when the transaction began; `nil` if its work is not new.
  let age: Int64?

  init(age: Int64? = nil) { self.age = age }

  /// The statements that run for each item, which a transaction with many items looks up once.
  enum Frequent: Int {
    case enqueue, issue, asked, answer, applied, apply, keepRecord
  }

  /// Returns the statement of a place in the code, which always gives the same text.
  func statement(_ place: Frequent, _ sql: @autoclosure () -> String, _ database: Database) throws -> Statement {
    if place.rawValue < prepared.count, let known = prepared[place.rawValue] { return known }
    while prepared.count <= place.rawValue { prepared.append(nil) }
    let statement = try database.cachedStatement(sql: sql())
    prepared[place.rawValue] = statement
    return statement
  }

  /// Assigns the next number of a stream.
  ///
  /// Throws `StoreError.queueFull` if a limit is reached, in which case no number is assigned.
  ///
  /// `cost` is the number of bytes that the item counts for.
  func next(
    _ peer: OutboxAddress, _ streamClass: StreamClass, cost: Int64, caps: QueueCaps, _ database: Database
  ) throws -> OutboxChange {
    let key = Key(peer: peer.number, streamClass: streamClass)
    var stream: Stream
    if let known = streams[key] { stream = known } else { stream = try Self.load(key, database) }
    // A stream accepts its first item regardless of the limits.
    guard stream.isNew && !stream.hasChanged || stream.items < caps.items && stream.bytes + cost <= caps.bytes else {
      throw StoreError.queueFull(streamClass)
    }
    stream.last += 1
    stream.items += 1
    stream.bytes += cost
    stream.hasChanged = true
    if stream.added == nil, streamClass == .command || streamClass == .receipt {
      let added = CommittedItems()
      stream.added = added
      committed.append(added)
    }
    streams[key] = stream
    return OutboxChange(
      device: peer.device, streamClass: streamClass, epoch: stream.epoch, last: UInt64(bitPattern: stream.last),
      items: stream.added)
  }

  private static func load(_ key: Key, _ database: Database) throws -> Stream {
    try database.first(
      "SELECT epoch, last, waiting_items, waiting_bytes FROM outbox_stream WHERE peer = ? AND class = ?",
      [key.peer, Int64(key.streamClass.rawValue)]
    ) {
      Stream(
        epoch: $0.unsigned(0), last: $0.integer(1), items: $0.integer(2), bytes: $0.integer(3), isNew: false)
    } ?? Stream(epoch: UInt64.random(in: 1...UInt64.max), last: 0, items: 0, bytes: 0, isNew: true)
  }

  /// Returns whether a command may have been answered here before.
  ///
  /// Later commands of a machine have greater IDs, so that few of them have to be looked up.
  func mayBeApplied(_ id: [UInt8], _ database: Database) throws -> Bool {
    let newest =
      try newestApplied ?? database.first(
        "SELECT max(command_id) FROM applied_command", [], { $0.bytes(0) }) ?? []
    newestApplied = newest
    return !newest.lexicographicallyPrecedes(id)
  }

  /// Notes that a command is answered here.
  func noteApplied(_ id: [UInt8]) {
    if let newest = newestApplied, newest.lexicographicallyPrecedes(id) { newestApplied = id }
  }

  func parents(_ database: Database) throws -> [OutboxAddress] {
    if let knownParents { return knownParents }
    let parents = try database.addresses(role: .parent)
    knownParents = parents
    return parents
  }

  /// Returns the number of an active peer.
  ///
  /// Throws `noSuchPeer` if there is none.
  func active(_ device: DeviceID, _ database: Database) throws -> OutboxAddress {
    if let number = active[device] { return OutboxAddress(number: number, device: device) }
    guard
      let number = try database.first(
        "SELECT number FROM peer WHERE device_id = ? AND state = 2", [device.bytes], { $0.integer(0) })
    else { throw StoreError.noSuchPeer }
    active[device] = number
    return OutboxAddress(number: number, device: device)
  }

  /// Records the duration of a device's usage session.
  ///
  /// The longest one limits how far before a range a session that overlaps it can begin.
  func witness(session milliseconds: Int64, of device: DeviceID, _ database: Database) throws {
    let known =
      try longest[device]?.milliseconds
      ?? database.first(
        "SELECT milliseconds FROM usage_longest WHERE device_id = ?", [device.bytes], { $0.integer(0) }) ?? -1
    longest[device] = (max(known, milliseconds), longest[device]?.hasChanged == true || milliseconds > known)
  }

  /// Requests that the age clock is stored when the group is settled.
  func noteAge(_ clock: StoreClock) { ageing = clock }

  /// Leaves all added items to be read, because a job that may delete some of them follows.
  ///
  /// The group is settled.
  func discardItems() {
    for items in committed { items.discard() }
    committed = []
  }

  /// Writes the changes and discards what the database has.
  func settle(_ database: Database) throws {
    for (key, stream) in streams where stream.hasChanged {
      let known: Bindings = [
        Int64(bitPattern: stream.epoch), stream.last, stream.items, stream.bytes, key.peer,
        Int64(key.streamClass.rawValue),
      ]
      if stream.isNew {
        try database.run(
          """
          INSERT INTO outbox_stream (epoch, last, stored_through, waiting_items, waiting_bytes, peer, class)
          VALUES (?, ?, 0, ?, ?, ?, ?)
          """, known)
      } else {
        try database.run(
          """
          UPDATE outbox_stream SET epoch = ?, last = ?, waiting_items = ?, waiting_bytes = ? WHERE peer = ? AND class = ?
          """, known)
      }
    }
    for (device, session) in longest where session.hasChanged {
      try database.run(
        "INSERT INTO usage_longest VALUES (?, ?) ON CONFLICT DO UPDATE SET milliseconds = excluded.milliseconds",
        [device.bytes, session.milliseconds])
    }
    if let ageing { try database.noteAge(ageing) }
    streams.removeAll(keepingCapacity: true)
    longest.removeAll(keepingCapacity: true)
    active.removeAll(keepingCapacity: true)
    knownParents = nil
    ageing = nil
  }
}
