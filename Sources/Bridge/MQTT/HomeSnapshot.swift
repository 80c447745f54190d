import LatchkeyModel
import LatchkeyNode

/// The state of the children who have machines, as the node reports it at one moment.
struct HomeSnapshot: Sendable {
  /// A child, with the state that is published.
  struct Child: Sendable {
    var id: ChildID
    var name: String
    var state: ChildState
    var isFresh: Bool
  }

  /// The children by their names in topics.
  var children: [String: Child] = [:]
  var requests: [RequestListing] = []

  /// Creates a snapshot of a node.
  ///
  /// While machines have not confirmed the last change, the state of the lock is taken from
  /// `before`.
  static func read(_ node: any NodeInterface, before: HomeSnapshot?) async throws -> HomeSnapshot {
    var snapshot = HomeSnapshot()
    let connected = Set(try await node.ask(Endpoints.getStatus).peers.filter(\.isConnected).map(\.device.name))
    snapshot.requests = try await node.ask(Endpoints.getRequests, nil)
    for child in try await node.ask(Endpoints.getChildren) where !child.machines.isEmpty {
      let key = HomeTopics.child(child.childID)
      let day = try await node.ask(Endpoints.getToday, child.childID.description)
      let isFresh = !connected.isDisjoint(with: child.machines)
      let open = snapshot.requests.count { $0.childName == child.name && $0.state == .open }
      let state = ChildState(
        day, isFresh: isFresh, requests: open, waiting: child.untold.count, lock: before?.children[key]?.state.lock)
      snapshot.children[key] = Child(id: child.childID, name: child.name.text, state: state, isFresh: isFresh)
    }
    return snapshot
  }

  /// The snapshot for the time in which the node does not answer.
  var withoutNode: HomeSnapshot {
    var snapshot = self
    for key in snapshot.children.keys {
      snapshot.children[key]?.isFresh = false
      if let state = snapshot.children[key]?.state { snapshot.children[key]?.state = state.withoutNode }
    }
    return snapshot
  }

  /// The time after which the snapshot may differ although nothing happens; `nil` for never.
  var next: Duration? { children.values.compactMap(\.state.next).min() }
}

/// The state of a child as it is published, in JSON.
///
/// Spec: Protocol/14-bridge.md §4.
struct ChildState: Hashable, Sendable, Codable {
  /// The state of the child's screen time.
  enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// No rule ends the time before the end of the next day.
    case free
    case left
    /// The time is used up, or it is not allowed at this time of the day.
    ///
    /// `rule` says which.
    case over
    case locked
    /// No machine of the child is connected, so that the time left is not known.
    case unknown
  }

  /// The seconds until a rule ends the time; absent without such a rule, and while the time is not
  /// known.
  var left: Int64?
  /// The seconds of use today.
  var used: Int64
  var status: Status
  /// The word for the rule that ends the time, or has ended it.
  var rule: String?
  /// The whole points that are left to spend; absent in a family without points.
  var points: Int64?
  /// The application in use that was started last.
  var app: String?
  /// The number of requests that wait for an answer.
  var requests: Int
  /// Whether the child is locked on all of its machines; absent while that is not known.
  var lock: Bool?
  /// The number of the child's machines that have not confirmed the last change of rules.
  var waiting: Int
  /// The time of the state, in Unix milliseconds.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case left = "left_s"
    case used = "used_s"
    case status, rule, points, app, requests, lock, waiting, at
  }

  /// Creates the state of a day.
  ///
  /// `isFresh` indicates whether a machine of the child is connected to this node. `waiting` is the
  /// number of machines that have not confirmed the last change. `lock` is the state of the lock
  /// that all machines had confirmed before; `nil` if that is not known.
  init(_ day: ChildToday, isFresh: Bool, requests: Int, waiting: Int, lock: Bool?) {
    let screen = day.screen
    let isLocked = !screen.isAllowed && screen.rule == "lock"
    status =
      switch true {
      case !isFresh: .unknown
      case isLocked: .locked
      case !screen.isAllowed: .over
      case screen.leftMilliseconds != nil: .left
      default: .free
      }
    left =
      switch status {
      case .left: screen.leftMilliseconds.map { max(0, $0) / 1_000 }
      case .over, .locked: 0
      case .free, .unknown: nil
      }
    used = max(0, day.usedMilliseconds) / 1_000
    rule = isFresh ? screen.rule : nil
    points = day.milliPoints.map { Int64((Double($0) / 1_000).rounded(.down)) }
    app = isFresh ? day.running.filter { !$0.isStale }.max { $0.since < $1.since }?.displayName : nil
    (self.requests, self.waiting) = (requests, waiting)
    self.lock = waiting == 0 ? isLocked : lock
    at = day.at
  }

  /// The state for the time in which the node does not answer.
  var withoutNode: ChildState {
    var state = self
    (state.status, state.left, state.rule, state.app) = (.unknown, nil, nil, nil)
    return state
  }

  /// The state in whole minutes and without its time.
  ///
  /// A state with an equal essence is not published again.
  var essence: ChildState {
    var state = self
    state.left = left.map { ($0 + 59) / 60 }
    state.used = used / 60
    state.at = 0
    return state
  }

  /// The time after which the state may differ although the node reports no change; `nil` if time
  /// alone does not change it.
  var next: Duration? {
    switch status {
    case .left: .seconds(min(60, (left ?? 60) + 1))
    case .over, .locked: .seconds(60)
    case .free, .unknown: nil
    }
  }
}

/// An event for the event entity of a child in Home Assistant.
///
/// It is published once and not retained.
///
/// Spec: Protocol/14-bridge.md §4.
struct ChildEvent: Hashable, Sendable, Codable {
  /// The type of an event about a press that was not carried out.
  static let refused = "refused"
  /// All types of event: the kinds of notice, and a refused press.
  static let types = ParentNotice.Kind.allCases.map(\.rawValue) + [refused]

  var type: String
  var sentence: String
  /// When it happened, in Unix milliseconds.
  var at: Int64
  /// The ID of a request, with which it is answered.
  var request: String?
  /// The minutes asked for.
  var minutes: Int?
  /// The application that the child asks for, or for which it asks for time.
  var app: String?
  var reason: String?

  private enum CodingKeys: String, CodingKey {
    case type = "event_type"
    case sentence, at, request, minutes, app, reason
  }

  /// Returns the events of a notice for a child's entity: one for each open request, or one for any
  /// other notice.
  static func of(_ notice: ParentNotice, _ requests: [RequestListing]) -> [ChildEvent] {
    guard !notice.isOver else { return [] }
    let plain = ChildEvent(type: notice.kind.rawValue, sentence: notice.sentence, at: notice.at)
    guard notice.kind == .asked else { return [plain] }
    return requests.filter { notice.requests.contains($0.requestID) && $0.state == .open }.map { request in
      var event = plain
      (event.request, event.minutes) = (request.requestID.description, request.minutes)
      event.app = request.appName ?? request.category?.rawValue
      event.reason = request.reason.isEmpty ? nil : request.reason
      event.at = request.askedAt
      return event
    }
  }
}
