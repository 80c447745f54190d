import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// What parents are told, at a real parent's node.
@Suite struct NoticeRouteTests {
  private static let user = Caller(principal: .nodeUser, userID: 1_000)

  private func told(_ home: HomeNode, _ receiver: String? = "desktop") async throws -> ParentNotices {
    try await home.node(Self.user).ask(Endpoints.getNotices, receiver)
  }

  /// Runs a body with a family of one child, who has used a game for two minutes today.
  private func withEmma(_ body: (HomeNode, ChildID) async throws -> Void) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let emma = try await home.node(Self.user).ask(Endpoints.addChild, ChildNameRequest(name: "Emma")).childID
      let context = home.service.context
      var record = SampleValues.record
      (record.child, record.appID, record.activeMilliseconds) = (emma, SampleValues.app("game"), 120_000)
      // From the beginning of the day, so that it is today's at any time.
      _ = try await home.node(Self.user).ask(Endpoints.setSettings, RuleRequest([.init("family/zone", "UTC")]))
      record.householdStart = context.wall() / 86_400_000 * 86_400_000
      (record.sessionStart, record.sessionEnd) = (record.householdStart, record.householdStart + 120_000)
      _ = try await context.store.record([record], at: context.wall())
      try await body(home, emma)
    }
  }

  @Test func aLimitThatIsUsedUpIsToldOnce() async throws {
    try await withEmma { home, _ in
      let rule = RuleRequest([.init("limit", "1"), .init("name", "Kart")], app: "game", isNew: true)
      _ = try await home.node(Self.user).ask(Endpoints.setRules, ("Emma", rule))
      let service = Task { await ParentNoticeService(node: home.service).run() }
      defer { service.cancel() }
      var events = try await home.node(Self.user).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
      while try await told(home).notices.isEmpty { _ = await events.next() }
      let notice = try #require(try await told(home).notices.first)
      #expect(notice.kind == .limitReached && notice.child?.text == "Emma")
      #expect(notice.sentence == "Emma has used up a limit: 1 min of Kart a day.")
      let kept = try await home.node(Self.user).ask(
        Endpoints.setPosition, ("desktop", ReceiverPosition(position: notice.number)))
      #expect(kept.position == notice.number)
      home.service.context.changes.notify()
      #expect(try await told(home).notices.isEmpty)
      #expect(try await told(home, "phone").notices == [notice])
      await #expect(throws: LocalAPIError.self) {
        _ = try await home.node(Self.user).ask(
          Endpoints.setPosition, ("desktop", ReceiverPosition(position: notice.number + 1)))
      }
    }
  }

  @Test func aChildThatWasRemovedIsNotSpokenOf() async throws {
    try await withEmma { home, emma in
      let store = home.service.context.store
      try await store.tell(
        [StoredNotice(.limitReached, key: "limit/1", child: emma, detail: "1 h of Kart a day")], at: 5)
      #expect(try await told(home, nil).notices.count == 1)
      _ = try await home.node(Self.user).ask(Endpoints.removeChild, "Emma")
      #expect(try await told(home, nil).notices.isEmpty)
    }
  }

  @Test func aChildsMachineTellsParentsNothing() async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      await #expect(throws: LocalAPIError.self) { _ = try await told(home) }
    }
  }
}
