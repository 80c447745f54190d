import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The rules of children, of their applications and of the whole family.
///
/// Spec: Protocol/11-rules.md §1, §2.
extension Endpoints {
  static let ruleRoutes: [any ServedEndpoint] = [getRules, setRules, grantTime, getApps, getSettings, setSettings]

  public static let getRules = Endpoint(
    .get, "/v1/rules", Query.onlyChild,
    browsers: .look, errors: [.unknownChild, .ambiguousChild], summary: "The rules of a child."
  ) { call, child in try await call.rules(of: call.childOrOnly(child)) }

  public static let setRules = Endpoint(
    .post, "/v1/rules", Query.onlyChild, Body.json(RuleRequest.self), whoMay: .operatorsAndReceivers, browsers: .parent,
    on: .settings, errors: [.unknownChild, .ambiguousChild, .unknownItem, .tooLate],
    summary: "Sets rules of a child, on a parent. They are durable when the answer comes."
  ) { call, child, request in
    let child = try await call.childOrOnly(child, orFamily: request.app != nil)
    guard call.caller.receiver != nil else { return try await call.setRules(of: child, request) }
    return try await call.setRules(of: child, request, as: call.deed(request, for: child)).shownToReceiver
  }

  package static let grantTime = Endpoint(
    .post, "/v1/rules/grant", Query.onlyChild, Body.json(GrantRequest.self), whoMay: .operatorsAndReceivers,
    browsers: .parent, on: .settings, errors: [.unknownChild, .ambiguousChild, .unknownItem, .limit],
    summary:
      "Grants a child more time for the rest of the family's day, on a parent. It is durable when the answer comes."
  ) { call, child, request in
    let child = try await call.childOrOnly(child)
    guard call.caller.receiver != nil else { return try await call.grant(to: child, request) }
    return try await call.grant(to: child, request, as: call.deed(request, for: child)).shownToReceiver
  }

  package static let getSettings = Endpoint(
    .get, "/v1/settings", whoMay: .operatorsAndChild, browsers: .look, summary: "The rules of the whole family."
  ) { call in
    let settings = try await call.settings()
    return call.caller.child == nil ? settings : settings.shownToChild
  }

  package static let setSettings = Endpoint(
    .post, "/v1/settings", Body.json(RuleRequest.self), browsers: .parent, on: .settings,
    errors: [.unknownItem, .tooLate],
    summary: "Sets rules of the whole family, on a parent. They are durable when the answer comes."
  ) { call, request in try await call.setSettings(request) }
}

extension Call {
  /// What has become of an edit that a person wrote.
  private struct Made {
    var commands: [ConfigurationCommand] = []
    var app: EditedApp?
    var members: [EditedApp] = []
    var formerMembers: [EditedApp]?
    var absent: [RegisterKey] = []
    var isRepeated = false
  }

  /// Returns the lock that a receiver sets; refuses other rules.
  fileprivate func deed(_ request: RuleRequest, for child: ChildID) async throws -> ReceiverDeed? {
    let isLock =
      request.app == nil && request.group == nil && request.isReset != true && request.changes.map(\.key) == ["lock"]
    guard isLock else { throw ControlFailure.notForReceivers.error }
    for change in request.changes { _ = try Self.change(change, in: .child(child)) }
    let name = try await household().title(of: child)
    return try await deed(.lock, "lock \(request.changes.first?.value ?? "off") for \(name)")
  }

  /// Returns the screen time that a receiver grants; refuses other grants.
  fileprivate func deed(_ request: GrantRequest, for child: ChildID) async throws -> ReceiverDeed? {
    guard request.minutes > 0, request.app == nil, request.category == nil else {
      throw ControlFailure.notForReceivers.error
    }
    let words = "grant of \(request.minutes) min for \(try await household().title(of: child))"
    return try await deed(.grant, words, giving: ReceiverGift(minutes: request.minutes))
  }

  fileprivate func setRules(
    of child: ChildID, _ request: RuleRequest, as deed: ReceiverDeed? = nil
  ) async throws -> RuleEdit {
    let made = try await make(request, in: .child(child), of: child, as: deed)
    return RuleEdit(
      rules: try await rules(of: child), commands: made.commands, machines: try await machines(of: made.commands),
      app: made.app, members: made.members, formerMembers: made.formerMembers, absent: made.absent,
      isRepeated: made.isRepeated ? true : nil)
  }

  /// Makes an edit durable; what is to be removed and is not set is passed over.
  private func make(
    _ request: RuleRequest, in zone: Zone, of child: ChildID?, as deed: ReceiverDeed? = nil
  ) async throws -> Made {
    var (request, made) = (request, Made())
    let held = try await household().rules(of: child).filter { $0.zone == zone && $0.value != nil }
    let present = Set(held.map(\.key))
    if let text = request.app {
      do {
        let resolved = try await knownApps(of: child).resolve(text, in: request, present)
        (request, made.app) = (resolved.request, resolved.app)
      } catch let error as LocalAPIError where error.code == .unknownItem {
        guard let refusal = try await refusal(of: text, for: child) else { throw error }
        throw LocalAPIError(.unknownItem, refusal)
      }
    }
    if let group = request.group {
      let edited = try await members(of: group, request, of: child, in: zone)
      (made.members, made.formerMembers) = (edited.members, edited.former)
      let seen = edited.seen.map { [$0] } ?? request.seen
      request = request.ofGroup(made.members.map(\.appID))
      request.seen = seen
    }
    var changes = try request.changes.map { change in try Self.change(change, in: zone) }
    made.absent = changes.filter { $0.value == nil && !present.contains($0.key) }.map(\.key)
    changes.removeAll { made.absent.contains($0.key) }
    let seen = (request.seen ?? []).compactMap { rule in
      RegisterKey(rule.key).map { RegisterChange(zone, $0, rule.value) }
    }
    let commands = try await edit(changes, seen: seen, as: deed)
    made.isRepeated = commands == nil
    made.commands = (commands ?? []).filter { $0.carries(changes) }
    return made
  }

  private func machines(of commands: [ConfigurationCommand]) async throws -> [EditedMachine] {
    var machines: [EditedMachine] = []
    for peer in try await peers() where commands.contains(where: { $0.target == peer.device.deviceID }) {
      let link = await directory.link(peer.device.deviceID)
      machines.append(
        EditedMachine(
          deviceID: peer.device.deviceID, name: peer.device.name, isConnected: await link?.current != nil,
          isNew: peer.marks.contains(.neverConnected), lastSeenAt: await link?.lastSeenAt ?? peer.device.lastSeenAt))
    }
    return machines
  }

  fileprivate func grant(
    to child: ChildID, _ request: GrantRequest, as deed: ReceiverDeed? = nil
  ) async throws -> RuleEdit {
    var app: EditedApp?
    if let text = request.app { app = try await knownApps(of: child).find(text) }
    let scope: GrantScope = app.map { .app($0.appID) } ?? request.category.map { .category($0) } ?? .all
    let household = try await household()
    var (day, minutes) = (boundary(household, of: child).day(containing: context.wall()), request.minutes)
    if minutes < 0 {
      // What is left is that of a day, and is taken from no other one that begins meanwhile.
      let standing = try await context.standing(of: child, household)
      (day, minutes) = (standing.situation.day, try Self.minutesToTake(-minutes, scope, standing))
    }
    let (time, reason) = (Grant(minutes: minutes, scope: scope), request.reason ?? "")
    let id = context.nextCommandID(context.wall())
    let isMore = request.minutes > 0
    let key = isMore ? DayRule.grant.key(on: day, by: id) : DayRule.deduction.key(on: day, by: id)
    guard let place = key.registerKey else { throw LocalAPIError(.internal, "The grant got no key: give it again.") }
    let given = Grant(minutes: minutes, scope: scope, reason: reason)
    let text = isMore ? given.text : Deduction(time, reason: reason).text
    let change = RegisterChange(.child(child), place, text)
    let made = try await edit([change], as: deed)
    let commands = (made ?? []).filter { $0.carries([change]) }
    return RuleEdit(
      rules: try await rules(of: child), commands: commands, machines: try await machines(of: commands), app: app,
      minutes: isMore ? minutes : -minutes, isRepeated: made == nil ? true : nil)
  }

  /// Returns how many minutes can be taken from the limit of a child's day, as far as known.
  private static func minutesToTake(
    _ minutes: Int, _ scope: GrantScope, _ standing: ChildStanding
  ) throws(LocalAPIError) -> Int {
    let name = standing.rules.name ?? "the child"
    guard let left = standing.left(of: scope) else {
      throw LocalAPIError(
        .invalid,
        phrase: scope == .all
          ? Phrase(
            "There is no limit a day to take time from: `latchkey limit set --child {child} --today 1h` sets one for today.",
            ["child": .text(ShellWord.person(name))])
          : Phrase(
            "{child} has no limit a day on this from which time could be taken: {command} sets one.",
            ["child": .text(name), "command": .text(scope.limiting(name))]))
    }
    guard left >= 60_000 else {
      throw LocalAPIError(
        .invalid,
        phrase:
          "{child} has less than 1 min left today, so nothing was taken away: `latchkey lock {command}` ends all use now.",
        ["child": .text(name), "command": .text(ShellWord.person(name))])
    }
    return min(minutes, Int(left / 60_000))
  }

  fileprivate func setSettings(_ request: RuleRequest) async throws -> FamilyEdit {
    let made = try await make(request, in: .family, of: nil)
    return FamilyEdit(
      rules: try await settings(), commands: made.commands, machines: try await machines(of: made.commands),
      app: made.app, members: made.members, formerMembers: made.formerMembers, absent: made.absent)
  }

  private static func change(_ change: RuleRequest.Change, in zone: Zone) throws(LocalAPIError) -> RegisterChange {
    guard let key = RegisterKey(change.key), let rule = RuleKey(key), rule.belongs(in: zone),
      rule != ChildRule.name.key, rule != ChildRule.pin.key
    else {
      let rule = ["rule": Phrase.Argument.text(DeviceName(sanitising: change.key).text)]
      throw LocalAPIError(
        .invalid,
        phrase: zone == .family
          ? Phrase("There is no rule “{rule}” for the family: update Latchkey, or correct it.", rule)
          : Phrase("There is no rule “{rule}” for a child: update Latchkey, or correct it.", rule))
    }
    if rule.isOfMany { throw LocalAPIError(.invalid, phrase: RuleFault.manyPrograms.phrase) }
    guard let text = change.value else { return RegisterChange(zone, key, nil) }
    do {
      let read = try Rule(rule, typed: text)
      if let app = rule.application, let matchers = AppRule.matchers.value(of: read) { try check(matchers, of: app) }
      return RegisterChange(zone, key, read.text)
    } catch { throw LocalAPIError(.invalid, phrase: error.phrase) }
  }

  /// Refuses matchers that the agent on the child's machine would refuse.
  private static func check(_ matchers: [AppMatcher], of app: AppID) throws(RuleFault) {
    for matcher in matchers {
      guard !["…", "..."].contains(where: matcher.value.contains) else {
        throw RuleFault(
          Phrase(
            """
            The dots in “{value}” stand for something in an example: write the whole value, such as that of the program's \
            path.
            """, ["value": .text(DeviceName(sanitising: matcher.value).text)]))
      }
      guard let kind = MatcherCheck.fault(of: matcher) else { continue }
      throw RuleFault(Phrase(verbatim: OrderFault(kind, account: 0, app: app, detail: matcher.value).sentence))
    }
  }
}
