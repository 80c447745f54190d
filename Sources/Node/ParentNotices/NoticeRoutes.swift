import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// What parents are told once.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let noticeRoutes: [any ServedEndpoint] = [getNotices, setPosition]

  private static let parentsNotices = Route.Place.parent("Parents are told on a parent's machine: run this there.")

  package static let getNotices = Endpoint(
    .get, "/v1/notices",
    Query.text("receiver", "Who is told: a name such as desktop, which keeps its place; the last 100 if it is absent."),
    whoMay: .operatorsAndReceivers, on: parentsNotices,
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
    whoMay: .operatorsAndReceivers, on: parentsNotices,
    summary: "Keeps up to where a receiver has told its person, on a parent."
  ) { call, receiver, place in
    try call.checkOwn(receiver)
    return try await call.setPosition(of: receiver, to: place)
  }
}

extension Call {
  private static let mostListed = 100
  /// Milliseconds after which parents are told of a rule that was set and is not in force.
  static let overdueMilliseconds: Int64 = 3_600_000

  /// Returns what a receiver has yet to tell and still matters, or without one the last notices.
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
    let held = try await store.look { effects in
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

/// The notices for parents in words, with what still matters of them.
struct NoticeReader {
  /// Milliseconds within which several requests of a child are one notice.
  private static let joinedMilliseconds: Int64 = 60_000
  /// Milliseconds for which what has passed is told to a receiver that was away.
  private static let freshMilliseconds: Int64 = 86_400_000

  let household: Household
  let names: FactNames
  let terms: RuleTerms
  let requests: [RequestListing]
  /// What each machine has told that weakens rules on it.
  let conditions: [ConditionListing]
  let connected: Set<DeviceID>
  let overdue: Set<DeviceID>
  let held: Set<ChildID>
  let days: [ChildID: FamilyDay]
  /// The reading of the age clock, in milliseconds.
  let age: Int64

  /// Returns stored notices in words, the oldest first.
  ///
  /// Those about who has left are left out, and requests of a child within a minute are one.
  func read(_ stored: [StoredNotice]) -> [ParentNotice] {
    var notices: [ParentNotice] = []
    /// The first request of the last notice of each child, by its place.
    var asked: [ChildID: (place: Int, age: Int64)] = [:]
    for notice in stored {
      if notice.kind == .asked, let child = notice.child, let last = asked[child],
        notice.age - last.age < Self.joinedMilliseconds, let joined = self.asked(notice, with: notices[last.place])
      {
        notices.remove(at: last.place)
        for (other, place) in asked where place.place > last.place { asked[other]?.place -= 1 }
        asked[child] = (notices.count, last.age)
        notices.append(joined)
        continue
      }
      guard let shown = show(notice) else { continue }
      if notice.kind == .asked, let child = notice.child { asked[child] = (notices.count, notice.age) }
      notices.append(shown)
    }
    return notices
  }

  private func show(_ notice: StoredNotice) -> ParentNotice? {
    if notice.kind == .asked { return asked(notice, with: nil) }
    let child = notice.child.flatMap { household.name(of: $0) }.map { DeviceName(sanitising: $0) }
    if notice.child != nil, child == nil { return nil }
    if let device = notice.device, !household.machines.contains(where: { $0.device == device }) { return nil }
    let device = notice.device.map { names[$0] }
    let isFresh = age - notice.age < Self.freshMilliseconds
    let place = device.map { "“\($0)”" } ?? "a machine"
    let whose = notice.device.flatMap { household.children(of: $0).first }.map { household.title(of: $0) }
    let sentence: String
    let matters: Bool
    switch notice.kind {
    case .asked: return nil
    case .limitReached:
      sentence = "\(child?.text ?? "A child") has used up a limit: \(PrintableText.of(notice.detail))."
      // The day stands in the key, behind the child.
      let day = notice.key.split(separator: "/").dropFirst(2).first.map(String.init)
      matters = notice.child.flatMap { days[$0]?.description } == day
    case .machineSilent:
      sentence =
        "\(place) has been silent for two days, so nothing new is known of it and no new rule reaches it: see whether "
        + "it is switched on and in the same network."
      matters = notice.device.map { !connected.contains($0) } ?? false
    case .machineBack:
      sentence = "\(place) is there again."
      matters = isFresh
    case .rulesWeakened:
      let words = condition(notice)?.words(on: place)
      sentence =
        words.map { "\($0.sentence) \($0.next)" }
        ?? "What weakened rules on \(place) is over" + (past(notice, on: place).map { ". It was: \($0)" } ?? ".")
      matters = words != nil
    case .ruleNotInForce:
      sentence =
        "What was set an hour ago or earlier is not in force on \(place) yet: `latchkey commands` shows what it waits for."
      matters = notice.device.map { overdue.contains($0) } ?? false
    case .parentJoined:
      sentence =
        "“\(PrintableText.of(notice.detail))” has joined as a parent's machine of \(place): if that is nobody's of the "
        + "family, run `latchkey devices unpair` on both of your machines and pair them anew."
      matters = age - notice.age < 7 * Self.freshMilliseconds
    case .learningHeld:
      sentence =
        "Learning of \(child?.text ?? "a child")'s looks wrong and waits for your review: `latchkey points review`."
      matters = notice.child.map { held.contains($0) } ?? false
    }
    return ParentNotice(
      number: notice.number, kind: notice.kind, key: notice.key, child: child ?? whose, device: device,
      sentence: sentence, at: notice.at, isOver: !matters)
  }

  /// Returns the words of a condition that is over, if this version knows it.
  private func past(_ notice: StoredNotice, on place: String) -> String? {
    guard let condition = MachineCondition(lines: [notice.detail]) else { return nil }
    let account = condition.account.map { String($0) } ?? ""
    return ConditionKind.named(condition.name)?.words(
      on: place, account: account, detail: condition.detail, app: terms.told(condition)
    ).sentence
  }

  private func condition(_ notice: StoredNotice) -> ConditionListing? {
    conditions.first { $0.deviceID == notice.device && $0.condition.lines.joined() == notice.detail }
  }

  /// Returns the notice of a request together with an earlier one, or the earlier one alone if the
  /// request is not kept any more.
  private func asked(_ notice: StoredNotice, with earlier: ParentNotice?) -> ParentNotice? {
    let id = Hexadecimal.decode(notice.detail).flatMap { CommandID(bytes: $0) }
    guard let request = requests.first(where: { $0.requestID == id }) else { return earlier }
    let known = (earlier?.requests ?? []).compactMap { id in requests.first { $0.requestID == id } }
    let all = known + (request.state == .open ? [request] : [])
    let wishes = (all.isEmpty ? [request] : all).map(Self.wish)
    let what =
      wishes.count == 1 ? wishes[0] : wishes.dropLast().joined(separator: ", ") + " and \(wishes[wishes.count - 1])"
    return ParentNotice(
      number: notice.number, kind: .asked, key: earlier?.key ?? notice.key, child: request.childName,
      device: request.deviceName, requests: all.map(\.requestID), sentence: "\(request.childName) asks for \(what).",
      at: notice.at, isOver: all.isEmpty)
  }

  /// Returns what a child asks for, such as “30 min for Kart: “I have done my homework””.
  private static func wish(_ request: RequestListing) -> String {
    let app = request.appName.map { PrintableText.of($0) }
    let purpose = app ?? request.category.map { ReasonText.plural($0).worded() }
    let what = request.minutes.map { SpanText.minutes($0) + (purpose.map { " for \($0)" } ?? "") } ?? app ?? "something"
    return request.reason.isEmpty ? what : "\(what) (“\(PrintableText.of(request.reason))”)"
  }
}
