import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// The stream of changes, at a real node.
@Suite struct ChangeEventsTests {
  private static let user = Caller(principal: .nodeUser, userID: 1_000)

  /// Sets Emma's limit, and returns her ID.
  private func limit(_ minutes: Int, _ home: HomeNode) async throws -> ChildID {
    let request = RuleRequest([.init("limits/daily", String(minutes))])
    return try await home.node(Self.user).ask(Endpoints.setRules, ("Emma", request)).rules.child.childID
  }

  private func withEmma(_ body: (HomeNode) async throws -> Void) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      _ = try await home.node(Self.user).ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      try await body(home)
    }
  }

  @Test func aChangeIsNamedOnceItIsDurable() async throws {
    try await withEmma { home in
      var events = try await home.node(Self.user).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      let start = try #require(await events.next())
      #expect(start.about == .start)
      let emma = try await limit(60, home)
      let change = await events.next()
      #expect(change == ChangeEvent(.rules, child: emma, number: start.number + 1))
    }
  }

  @Test func aReaderGoesOnWhereItWas() async throws {
    try await withEmma { home in
      var number = 0
      do {
        var events = try await home.node(Self.user).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
        number = try #require(await events.next()).number
      }
      let emma = try await limit(45, home)
      _ = try await limit(50, home)
      var later = try await home.node(Self.user).ask(Endpoints.changeEvents, number).makeAsyncIterator()
      #expect(await later.next() == ChangeEvent(.start, number: number))
      #expect(await later.next() == ChangeEvent(.rules, child: emma, number: number + 1))
      #expect(await later.next() == ChangeEvent(.rules, child: emma, number: number + 2))
    }
  }

  @Test(arguments: [0, Int.max]) func aReaderFromBeforeReadsEverythingAnew(number: Int) async throws {
    try await withEmma { home in
      var events = try await home.node(Self.user).ask(Endpoints.changeEvents, number).makeAsyncIterator()
      #expect(await events.next()?.about == .reset)
      let emma = try await limit(45, home)
      #expect(await events.next()?.child == emma)
    }
  }

  @Test func aReaderThatFallsBehindIsTold() async throws {
    try await withEmma { home in
      var events = try await home.node(Self.user).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      _ = await events.next()
      for _ in 0...ChangeFeed.capacity { home.service.context.feed.post(ChangeEvent(.pairing)) }
      #expect(await events.next()?.about == .reset)
      home.service.context.feed.post(ChangeEvent(.message))
      #expect(await events.next()?.about == .message)
    }
  }

  @Test func aDayIsToldOfOnceASecond() async throws {
    try await withEmma { home in
      let emma = try await limit(45, home)
      var events = try await home.node(Self.user).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      _ = await events.next()
      for _ in 0..<100 { home.service.context.feed.post(ChangeEvent(.today, child: emma)) }
      home.service.context.feed.post(ChangeEvent(.pairing))
      #expect(await events.next()?.about == .today)
      #expect(await events.next()?.about == .pairing)
      #expect(await events.next() == ChangeEvent(.today, child: emma, number: home.service.context.feed.last))
    }
  }

  @Test func aChildHearsOfItselfAlone() async throws {
    try await HomeNode.with(children: ["Emma", "Tom"]) { home in
      let own = ServedChild(id: home.children[0], name: DeviceName(sanitising: "Emma"), isOnlyOne: false)
      let child = Caller(principal: .child, userID: 4_242, child: own)
      var events = try await home.node(child).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      #expect(await events.next()?.about == .start)
      home.service.context.feed.post(ChangeEvent(.points, child: home.children[1]))
      home.service.context.feed.post(ChangeEvent(.device))
      home.service.context.feed.post(ChangeEvent(.points, child: home.children[0]))
      #expect(await events.next()?.child == home.children[0])
    }
  }

  @Test func whoeverIsNoChildOfTheFamilyIsRefused() {
    #expect(Endpoints.changeEvents.route.whoMay == Set.operatorsChildAndReceivers.union([.browser, .lookingBrowser]))
  }
}
