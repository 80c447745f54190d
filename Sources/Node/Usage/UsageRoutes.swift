import Foundation
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension Endpoints {
  static let usageRoutes: [any ServedEndpoint] = [getUsage, getTrackedApp, startUsage, endUsage]

  package static let getUsage = Endpoint(
    .get, "/v1/usage", Query.device, Query.text("app", "Only of the application with this ID."),
    Query.number("from", "Unix milliseconds: the start of the range."),
    Query.number("to", "Unix milliseconds: the end of the range, exclusive."),
    Query.greatest("The most sessions of a page, 1 to 10,000.", default: 1_000),
    Query.text("cursor", "The `next` of the page before."), errors: [.unknownDevice, .ambiguousDevice],
    summary: "Sessions that overlap the range, clipped to it, the newest first."
  ) { call, device, app, from, to, limit, cursor in
    try await call.usage(UsageQuery(device: device, appID: app, from: from, to: to, limit: limit, cursor: cursor))
  }

  package static let getTrackedApp = Endpoint(
    .get, "/v1/usage/apps/{app}", Path.text("app", "An application's name or ID."), whoMay: .operatorsAndChild,
    on: .child("Use is recorded on a child's machine, and this is a parent's: the program was not run."),
    errors: [.unknownItem],
    summary: "The application that a person names to record its use, on a child; it need not be known by its ID."
  ) { call, app in try await call.knownApps(of: call.caller.child?.id).tracked(app) }

  public static let startUsage = Endpoint(
    .post, "/v1/usage/sessions", Body.json(UsageStartRequest.self),
    on: .child("Use is recorded on a child's machine: run `latchkey usage track` there."), created: true,
    errors: [.limit, .noAgent],
    summary: "Starts to record a program of the caller's, on a child. The session is durable when the answer comes."
  ) { call, request in try await call.node.usage.start(request, by: call.caller.userID) }

  package static let endUsage = Endpoint(
    .post, "/v1/usage/sessions/{session}/end", Path.text("session", "The record ID of a session."),
    errors: [.unknownSession, .stillRunning],
    summary: "Returns the record of a session once the agent has told that its programs have ended, on a child."
  ) { call, id in
    guard let known = RecordID(id) else {
      throw LocalAPIError(.unknownSession, "That is no session's ID: it has 32 hexadecimal digits.")
    }
    return try await call.node.usage.end(known)
  }
}

extension Call {
  fileprivate func usage(_ query: UsageQuery) async throws -> UsagePage {
    // A child's node knows of other machines only what totals need.
    var target = role == .child ? own : nil
    if let device = query.device {
      let isOwn = device == context.name.text || DeviceID(device) == own
      target = isOwn ? own : try await knownDevice(device)
    }
    let app = try query.appID.map { text in
      guard let id = AppID(text) else {
        throw LocalAPIError(
          .invalid, "“\(DeviceName(sanitising: text))” is no application ID: see `latchkey apps list`.")
      }
      return id
    }
    let from = query.from ?? Int64.min / 4
    let to = query.to ?? Int64.max / 4
    guard from < to else {
      throw LocalAPIError(.invalid, "The range ends before it begins: give --from a day that is not after --to.")
    }
    let before = try query.cursor.map(Self.cursor)
    let records = try await store.usage(
      device: target, app: app, from: from, to: to, limit: query.limit + 1, before: before)
    let peers = try await peers()
    let names = try await childNames()
    var sessions = records.prefix(query.limit).map {
      session($0.record, from, to, peers, names, isOpen: false, doubt: $0.doubt)
    }
    try await markRefused(&sessions, peers)
    try await addPoints(&sessions)
    if query.cursor == nil, target == nil || target == own {
      sessions = openSessions(app, from, to, peers, names) + sessions
    }
    let next = records.count > query.limit ? records[query.limit - 1].record : nil
    return UsagePage(sessions: sessions, next: next.map { "\($0.sessionStart)-\($0.recordID)" })
  }

  /// Adds what the ledgers of children who use points hold for their sessions.
  private func addPoints(_ sessions: inout [UsagePage.Session]) async throws {
    let household = try await household()
    var ledgers: [ChildID: Ledger] = [:]
    for child in Set(sessions.compactMap(\.record.child)) where household.rules(for: child).mode == .points {
      ledgers[child] = try await store.look { try $0.ledger(of: child) }
    }
    for index in sessions.indices {
      guard let found = SessionCharge(sessions[index].record, in: ledgers) else { continue }
      (sessions[index].milliPoints, sessions[index].charge) = (found.milliPoints, found.charge)
    }
  }

  /// Marks the sessions whose records a parent's machine did not take.
  private func markRefused(_ sessions: inout [UsagePage.Session], _ peers: [PeerRecord]) async throws {
    guard role == .child else { return }
    let refused = try await store.refusedRecords()
    if refused.isEmpty { return }
    for index in sessions.indices where sessions[index].record.device == own {
      sessions[index].refusedBy = refused[sessions[index].record.recordID].map { $0.map { name($0, peers) } }
    }
  }

  private static func cursor(_ text: String) throws(LocalAPIError) -> (start: Int64, id: RecordID) {
    guard let dash = text.lastIndex(of: "-"), let start = Int64(text[..<dash]),
      let id = RecordID(text[text.index(after: dash)...])
    else { throw LocalAPIError(.invalid, "That is no cursor: use the `next` of the page before.") }
    return (start, id)
  }

  /// Returns the part of a session that lies in a range, with its share of the active time.
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

  private func childNames() async throws -> [ChildID: DeviceName] {
    let children = try await household().children
    return Dictionary(uniqueKeysWithValues: children.map { ($0.id, DeviceName(sanitising: $0.name)) })
  }

  private func openSessions(
    _ app: AppID?, _ from: Int64, _ to: Int64, _ peers: [PeerRecord], _ names: [ChildID: DeviceName]
  ) -> [UsagePage.Session] {
    context.sessions.all
      .filter { (app == nil || $0.appID == app) && $0.sessionStart < to && $0.sessionEnd > from }
      .sorted { $0.sessionStart > $1.sessionStart }
      .flatMap { $0.records(from: $0.ended(at: $0.lastSeenAt, wall: $0.sessionEnd)) }
      .map { session($0, from, to, peers, names, isOpen: true) }
  }
}

/// What a ledger holds for a session.
struct SessionCharge: Hashable {
  var milliPoints: Int64?
  var charge: UsageCharge

  /// Finds the charge of a session in the ledger of its child.
  ///
  /// A total of several sessions has no entry of its own, and neutral use none at all.
  init?(_ record: UsageRecord, in ledgers: [ChildID: Ledger]) {
    guard record.sessions == 1, record.category != .neutral, let ledger = record.child.flatMap({ ledgers[$0] }) else {
      return nil
    }
    self.init(record, in: ledger)
  }

  init(_ record: UsageRecord, in ledger: Ledger) {
    func entry(_ kind: LedgerEntry.Kind) -> LedgerEntry? {
      ledger.entries[EntryID(purse: record.device, kind: kind, source: record.recordID)]
    }
    let amounts = [LedgerEntry.Kind.earned, .repeated, .reviewed, .spent].compactMap { entry($0)?.milliPoints }
    if !amounts.isEmpty {
      // An entry of nothing says that the use of a reward was seen, and that there was nothing to
      // pay it with.
      let sum = amounts.reduce(0, +)
      (milliPoints, charge) = (sum, record.category == .reward && sum == 0 ? .nothing : .written)
    } else if entry(.held) != nil {
      charge = .held
    } else if entry(.used) != nil {
      charge = .redeemed
    } else {
      charge = .nothing
    }
  }
}

/// What a child's ledger of points holds for a session.
package enum UsageCharge: String, Hashable, Sendable, Codable, CaseIterable {
  case written
  /// Learning looks wrong and waits for a parent.
  case held
  case redeemed
  case nothing
}

/// A page of usage, newest first.
package struct UsagePage: Hashable, Sendable, Codable {
  /// A session, or the part of it within the requested range.
  package struct Session: Hashable, Sendable, Codable {
    package var record: UsageRecord
    package var deviceName: DeviceName
    /// The start of the part within the range, in Unix milliseconds.
    package var clippedStart: Int64
    package var clippedEnd: Int64
    /// The share of the time of use that belongs to that part, in milliseconds.
    package var clippedActiveMilliseconds: Int64
    /// A Boolean value that indicates whether it goes on; the numbers are the last heartbeat's.
    package var isOpen = false
    /// On a child's node, the parents' machines that refused the record.
    package var refusedBy: [DeviceName]?
    /// The reason why the record cannot be true.
    package var doubt: UsageDoubt?
    /// The name of the child who used it; `nil` if this machine does not know the child.
    package var childName: DeviceName?
    /// The milli-points that the ledger holds for it: above zero if it earned, below if it cost.
    package var milliPoints: Int64?
    /// What the ledger holds for it; `nil` if it is open, or its family uses no points.
    package var charge: UsageCharge?
  }

  package var sessions: [Session]
  /// The cursor of the next page.
  package var next: String?
}

/// The answer to `UsageStartRequest`: the session is durable, whatever is killed from now on.
public struct UsageStarted: Hashable, Sendable, Codable {
  public var recordID: RecordID
  /// A Boolean value that indicates whether the rules block the application.
  public var isBlocked: Bool
  public var enforcement: Enforcement
}
