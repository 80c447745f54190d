import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// Tests of who did what, as a real node lists it.
@Suite struct AuditRouteTests {
  private typealias Query = (child: String?, device: String?, before: Int64?, limit: Int)

  /// Runs a test at a parent's node that has set rules of two children.
  private func withEdits(_ body: (HomeNode) async throws -> Void) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      for name in ["Emma", "Tom"] {
        _ = try await Self.node(home).ask(Endpoints.addChild, ChildNameRequest(name: name))
      }
      for minutes in ["60", "90"] {
        let request = RuleRequest([.init("limits/daily", minutes)])
        _ = try await Self.node(home).ask(Endpoints.setRules, ("Emma", request))
      }
      _ = try await Self.node(home).ask(Endpoints.setRules, ("Tom", RuleRequest([.init("lock", "on")])))
      try await body(home)
    }
  }

  /// The node for one request, which reads the household once.
  private static func node(_ home: HomeNode) -> any NodeInterface {
    home.node(Caller(principal: .nodeUser, userID: 1_000))
  }

  private static func audit(_ home: HomeNode, _ query: Query) async throws -> AuditPage {
    try await node(home).ask(Endpoints.getAudit, (query.child, query.device, query.before, query.limit))
  }

  @Test func whatWasSetIsListedWithWhatThereWasBefore() async throws {
    try await withEdits { home in
      let entries = try await Self.audit(home, ("Emma", nil, nil, 100)).entries
      let newest = try #require(entries.first)
      #expect(newest.action == "register.set" && newest.words == "screen time a day 1 h 30 min")
      #expect(newest.old == "1 h" && newest.new == "1 h 30 min" && newest.by.text == "Family PC")
      #expect(entries.allSatisfy { $0.childName?.text == "Emma" })
      let german = try #require(Language.named("de"))
      #expect(newest.phrase?.worded() == "screen time a day – 1 h 30 min")
      #expect(newest.phrase?.worded(in: german).hasSuffix(" – 1 Std 30 Min") == true)
      #expect(newest.oldPhrase?.worded(in: german) == "1 Std")
      let lock = try #require(try await Self.audit(home, ("Tom", nil, nil, 1)).entries.first)
      #expect(lock.childName?.text == "Tom" && lock.words == "locked" && lock.old == nil)
    }
  }

  @Test func pagesFollowEachOtherWithoutAGap() async throws {
    try await withEdits { home in
      let all = try await Self.audit(home, (nil, nil, nil, 100))
      #expect(all.next == nil && all.entries.count > 4)
      var (paged, before) = ([AuditEntry](), Int64?.none)
      repeat {
        let page = try await Self.audit(home, (nil, nil, before, 2))
        #expect(page.entries.count <= 2)
        paged += page.entries
        before = page.next
      } while before != nil && paged.count <= all.entries.count
      #expect(paged == all.entries)
      #expect(try await Self.audit(home, (nil, "Family PC", nil, 100)).entries == all.entries)
    }
  }

  @Test func whoIsNotKnownIsRefused() async throws {
    try await withEdits { home in
      await #expect(throws: LocalAPIError.self) { () async throws -> Void in
        _ = try await Self.audit(home, ("Nobody", nil, nil, 100))
      }
      await #expect(throws: LocalAPIError.self) { () async throws -> Void in
        _ = try await Self.audit(home, (nil, "Garden PC", nil, 100))
      }
    }
  }

  @Test func aPINIsNotInTheList() async throws {
    try await withEdits { home in
      _ = try await Self.node(home).ask(Endpoints.setPIN, ("Emma", ChildPINRequest(pin: "483920")))
      let newest = try #require(try await Self.audit(home, ("Emma", nil, nil, 1)).entries.first)
      #expect(newest.new == "set" && newest.words?.contains("argon") == false)
    }
  }
}
