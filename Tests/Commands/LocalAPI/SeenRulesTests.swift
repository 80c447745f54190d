import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// Tests that an edit is not made over what its caller has not seen: Protocol/07-local-api.md §4.
@Suite struct SeenRulesTests {
  private static func set(
    _ home: HomeNode, _ minutes: String, seen: [RuleRequest.Change]?, key: String? = nil
  ) async throws -> RuleEdit {
    var caller = Caller(principal: .nodeUser, userID: 1_000)
    caller.key = key
    return try await home.node(caller).ask(
      Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", minutes)], seen: seen)))
  }

  @Test func ofTwoEditsThatSawTheSameTheSecondChangesNothing() async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let node = home.node(Caller(principal: .nodeUser, userID: 1_000))
      _ = try await node.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      _ = try await Self.set(home, "60", seen: [.init("limits/daily", nil), .init("limits/weekly", nil)])
      do {
        _ = try await Self.set(home, "90", seen: [.init("limits/daily", nil)])
        Issue.record("It was changed.")
      } catch let error as LocalAPIError {
        #expect(error.code == .tooLate && error.phrase != nil, "\(error)")
      }
      let edit = try await Self.set(home, "45", seen: [.init("limits/daily", "60")])
      #expect(edit.rules.rules.first { $0.key.text == "limits/daily" }?.value == "45")
    }
  }

  @Test func anEditThatWasRefusedIsNotTakenForOneThatWasMade() async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let node = home.node(Caller(principal: .nodeUser, userID: 1_000))
      _ = try await node.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      _ = try await Self.set(home, "60", seen: nil)
      for _ in 0..<2 {
        do {
          _ = try await Self.set(home, "90", seen: [.init("limits/daily", nil)], key: "a1-limit")
          Issue.record("It was changed, or taken for changed.")
        } catch let error as LocalAPIError { #expect(error.code == .tooLate, "\(error)") }
      }
      let made = try await Self.set(home, "90", seen: [.init("limits/daily", "60")], key: "a1-limit")
      #expect(made.isRepeated == nil && made.rules.rules.first { $0.key.text == "limits/daily" }?.value == "90")
      let again = try await Self.set(home, "90", seen: [.init("limits/daily", "60")], key: "a1-limit")
      #expect(again.isRepeated == true, "Its own change is no reason to refuse it.")
    }
  }

  @Test func whatWasSeenHasKeysAndNotTooMany() {
    #expect(RuleRequest([.init("lock", "on")], seen: [.init("", nil)]).textFault != nil)
    let many = (0...RuleRequest.mostSeen).map { RuleRequest.Change("app/a\($0)/blocked", nil) }
    #expect(RuleRequest([.init("lock", "on")], seen: many).textFault != nil)
    #expect(RuleRequest([.init("lock", "on")], seen: Array(many.dropLast())).textFault == nil)
  }
}
