import Foundation
import LatchkeyAgent
import LatchkeyCalendar
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension NodeService {
  /// Marks a parent's message as read, by the ID of its command.
  public func markMessageRead(id: String) async throws(LocalAPIError) -> ReceivedMessage {
    let context = context
    let message = try await stored { () async throws(StoreError) in
      guard let known = CommandID(id) else { return nil as ReceivedMessage? }
      return try await context.store.markRead(known, at: context.wall())
    }
    guard let message else {
      throw LocalAPIError(.unknownItem, "There is no such message on this machine: `latchkey messages` lists them.")
    }
    return message
  }

  /// A device whose records are asked for: this one, or a paired one.
  private func device(_ text: String) async throws(LocalAPIError) -> DeviceID {
    if text == context.name.text || DeviceID(text) == context.own { return context.own }
    return try await findKnown(text).device.deviceID
  }

  /// Returns a page of sessions, newest first.
  public func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage {
    var target: DeviceID?
    // A child's node knows of other machines only what totals need.
    if context.profile.role == .child { target = context.own }
    if let device = query.device { target = try await self.device(device) }
    var app: AppID?
    if let text = query.appID {
      guard let id = AppID(text) else {
        throw LocalAPIError(
          .invalid, "“\(DeviceName(sanitising: text))” is no application ID: see `latchkey apps list`.")
      }
      app = id
    }
    let from = query.from ?? Int64.min / 4
    let to = query.to ?? Int64.max / 4
    guard from < to else {
      throw LocalAPIError(.invalid, "The range ends before it begins: give --from a day that is not after --to.")
    }
    guard (1...10_000).contains(query.limit) else { throw LocalAPIError(.invalid, "A page has 1 to 10,000 sessions.") }
    let before = try query.cursor.map(Self.cursor)
    let (limit, appID, device) = (query.limit, app, target)
    let records = try await stored { () async throws(StoreError) in
      try await context.store.keptUsage(
        device: device, app: appID, from: from, to: to, limit: limit + 1, before: before)
    }
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    let names = try await childNames()
    var sessions = records.prefix(query.limit).map {
      session($0.record, from, to, peers, names, isOpen: false, doubt: $0.doubt)
    }
    try await markRefused(&sessions, peers)
    try await addPoints(&sessions)
    if query.cursor == nil, target == nil || target == context.own {
      sessions = try await openSessions(app, from, to, peers, names) + sessions
    }
    let next = records.count > query.limit ? records[query.limit - 1].record : nil
    return UsagePage(sessions: sessions, next: next.map { "\($0.sessionStart)-\($0.recordID)" })
  }

  /// Adds what the ledgers of the children hold for their sessions.
  private func addPoints(_ sessions: inout [UsagePage.Session]) async throws(LocalAPIError) {
    var ledgers: [ChildID: Ledger] = [:]
    try await read(&ledgers, of: sessions.compactMap(\.record.child))
    for index in sessions.indices {
      guard let found = SessionCharge(sessions[index].record, in: ledgers) else { continue }
      (sessions[index].milliPoints, sessions[index].charge) = (found.milliPoints, found.charge)
    }
  }

  /// Reads the ledgers of those children who use points and whose ledgers are not there yet.
  private func read(
    _ ledgers: inout [ChildID: Ledger], of children: some Sequence<ChildID>
  ) async throws(LocalAPIError) {
    let missing = Set(children).subtracting(ledgers.keys)
    if missing.isEmpty { return }
    let household = try await household()
    for child in missing where household.rules(for: child).mode == .points {
      ledgers[child] = try await look { try $0.ledger(of: child) }
    }
  }

  /// Marks the sessions whose records a parent's machine did not take.
  private func markRefused(
    _ sessions: inout [UsagePage.Session], _ peers: [PeerRecord]
  ) async throws(LocalAPIError) {
    guard context.profile.role == .child else { return }
    let refused = try await stored { () async throws(StoreError) in try await context.store.refusedRecords() }
    if refused.isEmpty { return }
    for index in sessions.indices where sessions[index].record.device == context.own {
      sessions[index].refusedBy = refused[sessions[index].record.recordID].map { $0.map { name($0, peers) } }
    }
  }

  private static func cursor(_ text: String) throws(LocalAPIError) -> (start: Int64, id: RecordID) {
    guard let dash = text.lastIndex(of: "-"), let start = Int64(text[..<dash]),
      let id = RecordID(text[text.index(after: dash)...])
    else { throw LocalAPIError(.invalid, "That is no cursor: use the `next` of the page before.") }
    return (start, id)
  }

  /// The part of a session that lies in a range, with its share of the active time.
  private func session(
    _ record: UsageRecord, _ from: Int64, _ to: Int64, _ peers: [PeerRecord], _ names: [ChildID: DeviceName],
    isOpen: Bool, doubt: UsageDoubt? = nil
  ) -> UsagePage.Session {
    let parts = UsageSlice(record).cut(at: [max(from, record.sessionStart), min(to, record.sessionEnd)])
    let inside = parts.first { $0.start >= from && $0.end <= to } ?? UsageSlice(record)
    return UsagePage.Session(
      record: record, deviceName: name(record.device, peers), clippedStart: max(from, record.sessionStart),
      clippedEnd: min(to, record.sessionEnd), clippedActiveMilliseconds: inside.activeMilliseconds, isOpen: isOpen,
      doubt: doubt, childName: record.child.flatMap { names[$0] })
  }

  /// Returns the names of the children.
  private func childNames() async throws(LocalAPIError) -> [ChildID: DeviceName] {
    let children = try await household().children
    return Dictionary(uniqueKeysWithValues: children.map { ($0.id, DeviceName(sanitising: $0.name)) })
  }

  private func openSessions(
    _ app: AppID?, _ from: Int64, _ to: Int64, _ peers: [PeerRecord], _ names: [ChildID: DeviceName]
  ) async throws(LocalAPIError) -> [UsagePage.Session] {
    try await stored { () async throws(StoreError) in try await context.store.openSessions() }
      .filter { (app == nil || $0.appID == app) && $0.startedAtWall < to && $0.lastSeenAtWall > from }
      .sorted { $0.startedAtWall > $1.startedAtWall }.map { open in
        let record = UsageRecord(
          recordID: open.recordID, device: context.own, appID: open.appID, displayName: open.displayName,
          sessionStart: open.startedAtWall, sessionEnd: max(open.startedAtWall, open.lastSeenAtWall), zone: open.zone,
          activeMilliseconds: open.activeMilliseconds(until: open.lastSeenAt), category: open.category,
          milliPointsPerMinute: open.milliPointsPerMinute, earnedMilliPoints: 0, evidence: open.evidence,
          account: open.account, child: open.child, householdStart: open.householdStart)
        return session(record, from, to, peers, names, isOpen: true)
      }
  }
}
