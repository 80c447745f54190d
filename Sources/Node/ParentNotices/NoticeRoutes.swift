import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// What parents are told once.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let noticeRoutes: [any ServedEndpoint] = [getNotices, setPosition]

  package static let getNotices = Endpoint(
    .get, "/v1/notices",
    Query.text("receiver", "Who is told: a name such as desktop, which keeps its place; the last 100 if it is absent."),
    whoMay: .operatorsAndReceivers, on: .parentsNotices,
    summary: "What parents are told, on a parent: for a receiver what it has not been told and still matters."
  ) { call, receiver in
    if let receiver = receiver ?? call.caller.receiver?.name {
      try call.checkOwn(receiver)
      return try await call.notices(for: receiver)
    }
    return try await call.notices(for: nil)
  }

  package static let setPosition = Endpoint(
    .post, "/v1/receivers/{receiver}/position", Path.receiver, Body.json(ReceiverPosition.self),
    whoMay: .operatorsAndReceivers, on: .parentsNotices,
    summary: "Keeps up to where a receiver has told its person, on a parent."
  ) { call, receiver, place in
    try call.checkOwn(receiver)
    return try await call.setPosition(of: receiver, to: place)
  }
}

extension Route.Place {
  fileprivate static let parentsNotices = Route.Place.parent("Parents are told on a parent's machine: run this there.")
}

extension Call {
  private static let mostListed = 100
  /// Milliseconds after which parents are told of a rule that was set and is not in force.
  static let overdueMilliseconds: Int64 = 3_600_000

  /// Returns what a receiver has not told its person and still matters; without a receiver, the
  /// last notices.
  func notices(for receiver: String?) async throws -> ParentNotices {
    let household = try await household()
    let choice = RuleSet.read(household.rules(of: nil), child: nil).rules
    let (stored, age) = try await store.notices(after: 0)
    let last = stored.last?.number ?? 0
    let all = try await noticeReader(household, age).read(stored.filter { choice.notices.tells($0.kind) })
    guard let receiver else {
      return ParentNotices(notices: all.suffix(Self.mostListed), position: last, quietUntil: nil)
    }
    let position = try await store.position(of: receiver) ?? 0
    let now = context.time.moment(choice.boundary)
    if let end = choice.notices.quietEnd(at: now.time, on: now.day, choice.boundary) {
      return ParentNotices(notices: [], position: position, quietUntil: end)
    }
    let new = all.filter { $0.number > position && !$0.isOver }
    return ParentNotices(notices: new.suffix(Self.mostListed), position: last)
  }

  private func noticeReader(_ household: Household, _ age: Int64) async throws -> NoticeReader {
    let held = try await look { effects in
      Set(
        try household.children.map(\.id).filter { child in
          try !PointsPage.held(in: effects.ledger(of: child)).isEmpty
        })
    }
    let days = household.children.map { ($0.id, context.moment(household.rules(for: $0.id)).day) }
    return NoticeReader(
      household: household, names: try await names(), terms: try await appTerms(household),
      requests: try await requests(of: nil), conditions: try await conditions(), connected: await directory.connected,
      overdue: Set(try await store.overdueEdits(of: Edit.kind, after: Self.overdueMilliseconds).keys), held: held,
      days: Dictionary(uniqueKeysWithValues: days), age: age)
  }

  /// Keeps up to where a receiver has told its person.
  func setPosition(of receiver: String, to place: ReceiverPosition) async throws -> ReceiverPosition {
    if let fault = TextRule.deviceName.fault(in: receiver) { throw LocalAPIError(.invalid, fault) }
    let position = place.position
    let numbers = try await store.notices(after: 0).notices.map(\.number)
    guard position <= numbers.last ?? 0 else {
      throw LocalAPIError(.invalid, "There is no notice \(position) yet: give the `position` of `GET /v1/notices`.")
    }
    let before = try await store.position(of: receiver) ?? 0
    guard try await store.setPosition(of: receiver, to: position) else {
      throw LocalAPIError(
        .limit, "There are \(Store.mostReceivers) receivers, as many as a node has: use the name of one of them.")
    }
    if caller.receiver != nil {
      context.bridges.told(numbers.count { $0 > before && $0 <= position }, dropped: place.dropped ?? 0)
    }
    return ReceiverPosition(position: try await store.position(of: receiver) ?? position)
  }
}

extension NoticeChoice {
  func tells(_ kind: ParentNotice.Kind) -> Bool {
    switch kind {
    case .asked: requests
    case .limitReached: limits
    case .machineSilent, .machineBack: machines
    case .rulesWeakened, .ruleNotInForce: rules
    case .parentJoined: parents
    case .learningHeld: reviews
    }
  }
}
