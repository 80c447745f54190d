import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// What receivers may do, at a real parent's node.
@Suite struct ReceiverRouteTests {
  private static let user = Caller(principal: .nodeUser, userID: 1_000)

  /// Runs a body with a family of one child and a receiver, of which the caller is given.
  private func with(
    _ rights: [ReceiverRight], minutes: Int = 0, milliPoints: Int64 = 0,
    _ body: (HomeNode, Caller, AddedReceiver) async throws -> Void
  ) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      _ = try await home.node(Self.user).ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      let added = try await home.node(Self.user).ask(
        Endpoints.addReceiver,
        NewReceiver(name: "ha", kind: .mqtt, rights: rights, mostMinutes: minutes, mostMilliPoints: milliPoints))
      let known = try #require(await home.service.receiver(authorized: "Bearer \(added.token)"))
      try await body(home, Caller(known, userID: 1_000), added)
    }
  }

  /// Returns the code with which a request is refused; `nil` if it is not.
  private func refusal(_ body: () async throws -> Void) async throws -> LocalAPIError.Code? {
    do { try await body() } catch let error as LocalAPIError { return error.code }
    return nil
  }

  private func grant(_ minutes: Int, app: String? = nil, _ home: HomeNode, _ ha: Caller) async throws
    -> LocalAPIError.Code?
  {
    try await refusal {
      _ = try await home.node(ha).ask(Endpoints.grantTime, ("Emma", GrantRequest(minutes: minutes, app: app)))
    }
  }

  private func give(_ milliPoints: Int64, _ home: HomeNode, _ ha: Caller) async throws -> LocalAPIError.Code? {
    try await refusal {
      let adjustment = PointsAdjustment(child: "Emma", milliPoints: milliPoints, reason: "dishes")
      _ = try await home.node(ha).ask(Endpoints.adjustPoints, adjustment)
    }
  }

  @Test func aReceiverGivesNoMoreThanADayHas() async throws {
    try await with([.grant], minutes: 30) { home, ha, added in
      #expect(added.receiver.mostMinutes == 30 && added.receiver.usedMinutes == 0 && added.token.count == 64)
      #expect(try await grant(20, home, ha) == nil)
      #expect(try await grant(11, home, ha) == .limit)
      #expect(try await grant(10, home, ha) == nil)
      #expect(try await grant(1, home, ha) == .limit)
      #expect(try await home.node(Self.user).ask(Endpoints.getReceivers).first?.usedMinutes == 30)
      let rules = try await home.node(Self.user).ask(Endpoints.getRules, "Emma").rules
      #expect(rules.count { $0.key.text.contains("/grant/") } == 2, "\(rules)")
      // People are not bound by it, and it is not raised by the same name.
      #expect(try await grant(60, home, Self.user) == nil)
      let again = try await home.node(Self.user).ask(
        Endpoints.addReceiver, NewReceiver(name: "ha", kind: .mqtt, rights: [.grant], mostMinutes: 30))
      #expect(again.receiver.usedMinutes == 30 && again.token != added.token)
      #expect(await home.service.receiver(authorized: "Bearer \(added.token)") == nil)
    }
  }

  @Test("A receiver that may grant can do nothing else")
  func grantAlone() async throws {
    try await with([.grant], minutes: 600) { home, ha, _ in
      #expect(try await grant(-10, home, ha) == .forbidden)
      #expect(try await grant(10, app: "game", home, ha) == .forbidden)
      for change in [RuleRequest.Change("lock", "on"), .init("limits/daily", "5"), .init("mode", "limits")] {
        let code = try await refusal {
          _ = try await home.node(ha).ask(Endpoints.setRules, ("Emma", RuleRequest([change])))
        }
        #expect(code == .forbidden, "\(change)")
      }
      let points = try await refusal {
        let adjustment = PointsAdjustment(child: "Emma", milliPoints: 1_000, reason: "dishes")
        _ = try await home.node(ha).ask(Endpoints.adjustPoints, adjustment)
      }
      #expect(points == .forbidden)
      #expect(try await home.node(Self.user).ask(Endpoints.getReceivers).first?.usedMinutes == 0)
    }
  }

  @Test func aReceiverThatMayLockSetsNothingButTheLock() async throws {
    try await with([.lock]) { home, ha, _ in
      let locked = try await home.node(ha).ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "on")])))
      #expect(locked.rules.rules.map(\.key) == ["lock"] && locked.rules.rules.first?.value == "on")
      #expect(locked.rules.family.isEmpty && locked.rules.defaults.isEmpty, "The family's zone is set.")
      for request in [
        RuleRequest([.init("lock", "off"), .init("limits/daily", "none")]),
        RuleRequest([.init("blocked", "no")], app: "lock", isNew: true), RuleRequest([], app: "game", isReset: true),
      ] {
        let code = try await refusal { _ = try await home.node(ha).ask(Endpoints.setRules, ("Emma", request)) }
        #expect(code == .forbidden, "\(request)")
      }
      #expect(try await grant(1, home, ha) == .forbidden)
    }
  }

  @Test func aReceiverGivesPointsAndTakesNone() async throws {
    try await with([.points], milliPoints: 5_000) { (home: HomeNode, ha: Caller, _: AddedReceiver) async throws in
      #expect(try await give(5_000, home, ha) == nil)
      #expect(try await give(1, home, ha) == .limit)
      #expect(try await give(-1_000, home, ha) == .forbidden)
      #expect(try await home.node(ha).ask(Endpoints.getPoints, ("Emma", 10)).balance == 5_000)
    }
  }

  /// Keeps a request of Emma's for some minutes, and returns its ID.
  private func ask(_ minutes: Int, _ home: HomeNode) async throws -> String {
    let child = try #require(try await home.node(Self.user).ask(Endpoints.getChildren).first).childID
    let context = home.service.context
    let id = context.nextCommandID(context.wall())
    _ = try await context.store.act(context.editMaker, at: context.wall()) { effects, _ -> (Bool, ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      let request = ChildRequest(
        id: id, device: context.own, at: moment.at, wish: .time(Grant(minutes: minutes, scope: .all)), day: moment.day,
        reason: "")
      try effects.add(Fact(child, .request, request.text))
      return (true, .none)
    }
    return id.description
  }

  private func answer(
    _ request: String, minutes: Int? = nil, _ home: HomeNode, _ ha: Caller
  ) async throws -> LocalAPIError.Code? {
    try await refusal {
      let answer = AnswerRequest(request: request, isApproved: true, minutes: minutes)
      _ = try await home.node(ha).ask(Endpoints.answerRequest, answer)
    }
  }

  private func used(_ home: HomeNode) async throws -> Int? {
    try await home.node(Self.user).ask(Endpoints.getReceivers).first?.usedMinutes
  }

  @Test func ofFourAnswersAtOnceOneCounts() async throws {
    try await with([.answer], minutes: 60) { home, ha, _ in
      let request = try await ask(45, home)
      let codes = try await withThrowingTaskGroup(of: LocalAPIError.Code?.self) { group in
        for _ in 0..<4 { group.addTask { try await answer(request, home, ha) } }
        var codes: [LocalAPIError.Code?] = []
        for try await code in group { codes.append(code) }
        return codes
      }
      #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .tooLate } == 3, "\(codes)")
      #expect(try await used(home) == 45)
      // What is refused counts nothing.
      let second = try await ask(10, home)
      #expect(try await answer(second, minutes: 16, home, ha) == .limit)
      #expect(try await used(home) == 45)
      #expect(try await answer(second, minutes: 15, home, ha) == nil)
      #expect(try await used(home) == 60)
    }
  }

  @Test func ofFourGrantsAtOnceThoseCountThatFit() async throws {
    try await with([.grant], minutes: 60) { home, ha, _ in
      let codes = try await withThrowingTaskGroup(of: LocalAPIError.Code?.self) { group in
        for _ in 0..<4 { group.addTask { try await grant(25, home, ha) } }
        var codes: [LocalAPIError.Code?] = []
        for try await code in group { codes.append(code) }
        return codes
      }
      #expect(codes.count { $0 == nil } == 2 && codes.count { $0 == .limit } == 2, "\(codes)")
      let rules = try await home.node(Self.user).ask(Endpoints.getRules, "Emma").rules
      #expect(try await used(home) == 50 && rules.count { $0.key.text.contains("/grant/") } == 2)
    }
  }

  @Test("What is asked for again by the same key is done once, and answered with what holds")
  func keys() async throws {
    try await with([.grant, .lock, .points, .answer], minutes: 60, milliPoints: 5_000) { home, ha, _ in
      func known(by key: String) -> Caller {
        var caller = ha
        caller.key = key
        return caller
      }
      for _ in 0..<3 { #expect(try await grant(20, home, known(by: "a")) == nil) }
      #expect(try await used(home) == 20)
      let rules = try await home.node(Self.user).ask(Endpoints.getRules, "Emma").rules
      #expect(rules.count { $0.key.text.contains("/grant/") } == 1, "\(rules)")
      // What was refused leaves no key.
      #expect(try await grant(50, home, known(by: "b")) == .limit)
      #expect(try await grant(10, home, known(by: "b")) == nil)
      #expect(try await used(home) == 30)
      for _ in 0..<3 { #expect(try await give(2_000, home, known(by: "c")) == nil) }
      #expect(try await home.node(ha).ask(Endpoints.getPoints, ("Emma", 10)).balance == 2_000)
      let request = try await ask(15, home)
      for _ in 0..<3 { #expect(try await answer(request, home, known(by: "d")) == nil) }
      #expect(try await used(home) == 45)
      #expect(try await answer(request, home, known(by: "e")) == .tooLate)

      func lock(_ value: String, _ caller: Caller) async throws -> String? {
        try await home.node(caller).ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", value)]))).rules.rules
          .first { $0.key == "lock" }?.value
      }
      #expect(try await lock("on", known(by: "f")) == "on")
      _ = try await lock("off", Self.user)
      #expect(try await lock("on", known(by: "f")) != "on")
      #expect(try await lock("on", known(by: "g")) == "on")
    }
  }

  @Test("An edit of a person's with a key is made once, and one without a key each time")
  func editsOnce() async throws {
    try await with([.grant], minutes: 600) { home, ha, _ in
      func grants() async throws -> Int {
        try await home.node(Self.user).ask(Endpoints.getRules, "Emma").rules.count { $0.key.text.contains("/grant/") }
      }
      @Sendable func give(_ key: String?, by caller: Caller = Self.user) async throws -> Bool? {
        var caller = caller
        caller.key = key
        return try await home.node(caller).ask(Endpoints.grantTime, ("Emma", GrantRequest(minutes: 15))).isRepeated
      }
      #expect(try await give("a") == nil)
      for _ in 0..<2 { #expect(try await give("a") == true) }
      #expect(try await grants() == 1)
      // A receiver's keys are its own.
      #expect(try await give("a", by: ha) == nil)
      #expect(try await give("b") == nil)
      for _ in 0..<2 { #expect(try await give(nil) == nil) }
      #expect(try await grants() == 5)
      async let first = give("c")
      async let second = give("c")
      let repeated = try await [first, second].count { $0 == true }
      #expect(repeated == 1)
      #expect(try await grants() == 6)
      // What is refused leaves no key.
      var caller = Self.user
      caller.key = "d"
      let less = GrantRequest(minutes: -5, app: "nothing")
      #expect(try await refusal { _ = try await home.node(caller).ask(Endpoints.grantTime, ("Emma", less)) } != nil)
      #expect(try await give("d") == nil)
      caller.key = "e"
      for isRepeated in [nil, true] as [Bool?] {
        let edit = try await home.node(caller).ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "on")])))
        #expect(edit.isRepeated == isRepeated)
      }
    }
  }

  @Test(arguments: ["", "ä", "a b", "a/b", String(repeating: "a", count: 65)])
  func keysThatAreNone(key: String) {
    #expect(!Caller.isKey(key) && Caller.isKey("Aa-09"))
  }

  @Test func aReceiverSpeaksForItselfAlone() async throws {
    try await with([]) { home, ha, _ in
      _ = try await home.node(Self.user).ask(Endpoints.addReceiver, NewReceiver(name: "phone", kind: .ntfy))
      for code in [
        try await refusal { _ = try await home.node(ha).ask(Endpoints.getNotices, "phone") },
        try await refusal { _ = try await home.node(ha).ask(Endpoints.getNotices, "desktop") },
        try await refusal {
          _ = try await home.node(ha).ask(Endpoints.setPosition, ("phone", ReceiverPosition(position: 0)))
        },
        try await refusal {
          _ = try await home.node(ha).ask(Endpoints.reportReceiver, ("phone", ReceiverState(fault: nil)))
        },
      ] { #expect(code == .forbidden) }
      #expect(try await home.node(ha).ask(Endpoints.getNotices, nil).notices.isEmpty)
    }
  }

  @Test func whatABridgeSaysIsShownWhileItRuns() async throws {
    try await with([]) { home, ha, _ in
      func shown() async throws -> ReceiverListing? {
        try await home.node(Self.user).ask(Endpoints.getReceivers).first
      }
      #expect(try await shown()?.isRunning == false)
      do {
        let changes = try await home.node(ha).ask(Endpoints.changeEvents, nil)
        let state = ReceiverState(fault: "The broker refuses the password: set it up anew.")
        _ = try await home.node(ha).ask(Endpoints.reportReceiver, ("ha", state))
        let running = try await shown()
        #expect(running?.isRunning == true && running?.fault == state.fault && running?.faultSince != nil)
        withExtendedLifetime(changes) {}
      }
      while try await shown()?.isRunning == true { await Task.yield() }
      #expect(try await shown()?.fault == nil)
    }
  }

  @Test("What receivers were told, and what is wrong, is counted in the metrics, without a name")
  func counted() async throws {
    try await with([]) { home, ha, _ in
      func metrics() async throws -> String { try await home.node(Self.user).ask(Endpoints.getMetrics) }
      try await home.service.context.store.tell(
        ["a", "b", "c"].map { StoredNotice(.machineBack, key: $0) }, at: 1)
      #expect(try await metrics().contains("latchkey_receiver_notices_waiting 3\n"))
      let last = try await home.node(ha).ask(Endpoints.getNotices, nil).position
      for place in [ReceiverPosition(position: last - 1, dropped: 1), ReceiverPosition(position: last - 1)] {
        _ = try await home.node(ha).ask(Endpoints.setPosition, ("ha", place))
      }
      for fault in ["It is away.", "It refuses.", nil] {
        _ = try await home.node(ha).ask(Endpoints.reportReceiver, ("ha", ReceiverState(fault: fault)))
      }
      let text = try await metrics()
      for line in [
        "latchkey_receiver_notices_waiting 1", "latchkey_receiver_notices_told_total 1",
        "latchkey_receiver_notices_dropped_total 1", "latchkey_receiver_faults_total 1",
        "latchkey_receivers{state=\"stopped\"} 1",
      ] { #expect(text.contains(line + "\n"), "\(line)") }
      #expect(!text.contains("\"ha\""))
      #expect(ReceiverPosition(position: 1, dropped: -1).textFault != nil)
    }
  }

  @Test func aReceiverThatIsRemovedHearsAndDoesNothingMore() async throws {
    try await with([.grant], minutes: 60) { home, ha, added in
      var changes = try await home.node(ha).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      #expect(await changes.next()?.about == .start)
      #expect(try await home.node(Self.user).ask(Endpoints.deleteReceiver, "ha").isEmpty)
      #expect(await home.service.receiver(authorized: "Bearer \(added.token)") == nil)
      #expect(await changes.next() == nil)
      let code = try await refusal { _ = try await home.node(Self.user).ask(Endpoints.deleteReceiver, "ha") }
      #expect(code == .unknownItem)
    }
  }

  @Test(arguments: ["", "Phone", "my phone", "-x", "ä", "../x", String(repeating: "a", count: 33), "desktop"])
  func namesThatAreNone(name: String) {
    #expect(NewReceiver(name: name, kind: .ntfy).textFault != nil)
  }
}
