import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// Edits of a parent's rules, at a real node.
@Suite struct EditTests {
  private func withEmma(_ body: (any NodeInterface) async throws -> Void) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let node = home.node(Caller(principal: .nodeUser, userID: 1_000))
      _ = try await node.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      try await body(node)
    }
  }

  private func rules(_ node: any NodeInterface) async throws -> [String: String] {
    let rules = try await node.ask(Endpoints.getRules, "Emma").rules
    return Dictionary(uniqueKeysWithValues: rules.map { ($0.key.text, $0.value) })
  }

  @Test func twoEditsOfDifferentWeekdaysBothHold() async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let caller = Caller(principal: .nodeUser, userID: 1_000)
      let node = home.node(caller)
      _ = try await node.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      _ = try await node.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", "120")])))
      let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, day) in days.enumerated() {
          group.addTask {
            let change = RuleRequest.Change("limits/daily/\(day)", String(30 + number))
            _ = try await home.node(caller).ask(Endpoints.setRules, ("Emma", RuleRequest([change])))
          }
        }
        try await group.waitForAll()
      }
      let held = try await rules(home.node(caller))
      for (number, day) in days.enumerated() { #expect(held["limits/daily/\(day)"] == String(30 + number), "\(day)") }
      #expect(held["limits/daily"] == "120")
    }
  }

  @Test func anApplicationIsNamedByAPersonsWords() async throws {
    try await withEmma { node in
      let new = RuleRequest([.init("name", "Kart"), .init("blocked", "yes")], app: "org.kart/1", isNew: true)
      let made = try await node.ask(Endpoints.setRules, ("emm", new))
      #expect(made.app == EditedApp(appID: SampleValues.app("org.kart/1"), name: "org.kart/1", isRecognized: false))
      #expect(try await rules(node)["app/org.kart%2F1/blocked"] == "yes")
      let again = RuleRequest([.init("limit/sat", "60"), .init("limit/mon", nil)], app: "kart")
      let edit = try await node.ask(Endpoints.setRules, ("Emma", again))
      #expect(edit.app?.appID.text == "org.kart/1" && edit.app?.name == "Kart")
      #expect(edit.absent.map(\.text) == ["app/org.kart%2F1/limit/mon"], "It was not set.")
      #expect(try await rules(node)["app/org.kart%2F1/limit/sat"] == "60")
      await #expect(throws: LocalAPIError.needsCategory) {
        _ = try await node.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("rate", "2")], app: "kart")))
      }
      await #expect(throws: LocalAPIError.self) {
        _ = try await node.ask(Endpoints.setSettings, RuleRequest([.init("blocked", "yes")], app: "two words"))
      }
    }
  }

  @Test func aResetRemovesWhatIsSetInThePlaceThatIsMeant() async throws {
    try await withEmma { node in
      let set = RuleRequest([.init("name", "Kart"), .init("blocked", "yes")], app: "kart", isNew: true)
      let reset = RuleRequest([], app: "Kart", isReset: true)
      _ = try await node.ask(Endpoints.setRules, (nil, set))
      #expect(try await node.ask(Endpoints.setSettings, reset).app?.reset == .elsewhere)
      let made = try await node.ask(Endpoints.setRules, (nil, reset))
      #expect(
        made.app == EditedApp(appID: SampleValues.app("kart"), name: "Kart", isRecognized: false, reset: .removed))
      #expect(try await rules(node).keys.filter { $0.hasPrefix("app/") }.isEmpty)
      // Now nothing is known of it.
      await #expect(throws: LocalAPIError.self) { _ = try await node.ask(Endpoints.setRules, (nil, reset)) }
      _ = try await node.ask(Endpoints.setSettings, set)
      #expect(try await node.ask(Endpoints.setRules, ("Emma", reset)).app?.reset == .elsewhere)
    }
  }

  @Test func timeIsGrantedForAnApplicationByItsName() async throws {
    try await withEmma { node in
      let set = RuleRequest([.init("name", "Kart")], app: "org.kart", isNew: true)
      _ = try await node.ask(Endpoints.setRules, ("Emma", set))
      let edit = try await node.ask(Endpoints.grantTime, (nil, GrantRequest(minutes: 5, app: "kart")))
      #expect(edit.app?.name == "Kart" && edit.rules.rules.contains { $0.value == "5 app:org.kart" })
      let unknown = GrantRequest(minutes: 5, app: "chess")
      await #expect(throws: LocalAPIError.self) { _ = try await node.ask(Endpoints.grantTime, (nil, unknown)) }
    }
  }

  @Test func theLimitThatLessTimeNeedsIsNamedAsItIsTyped() async throws {
    try await withEmma { node in
      for (request, command) in [
        (GrantRequest(minutes: -5), "`latchkey limit set --child Emma --today 1h`"),
        (
          GrantRequest(minutes: -5, category: .reward), "`latchkey limit set --child Emma --category reward --daily 1h`"
        ),
      ] {
        let fault = await #expect(throws: LocalAPIError.self) {
          _ = try await node.ask(Endpoints.grantTime, (nil, request))
        }
        #expect(fault?.message.contains(command) == true, "\(String(describing: fault))")
      }
    }
  }

  @Test func aChildAsksForAnApplicationByItsWords() throws {
    let known = KnownApps([SampleValues.listing], of: nil, on: [])
    #expect(try known.askedFor("chess", orCategory: true) == SampleValues.listing.appID)
    #expect(try known.askedFor("a.b", orCategory: true).text == "a.b", "It need not be known.")
    #expect(try known.askedFor("rewards", orCategory: false).text == "rewards")
    for text in ["rewards", "two words"] {
      #expect(throws: LocalAPIError.self) { try known.askedFor(text, orCategory: true) }
    }
  }

  @Test func onlyRulesThatAreSetAreRemoved() async throws {
    try await withEmma { node in
      let removal = RuleRequest([.init("limits/daily", nil), .init("lock", nil)])
      let none = try await node.ask(Endpoints.setRules, ("Emma", removal))
      #expect(none.absent.map(\.text) == ["limits/daily", "lock"] && none.commands.isEmpty)
      _ = try await node.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "on")])))
      let one = try await node.ask(Endpoints.setRules, ("Emma", removal))
      #expect(one.absent.map(\.text) == ["limits/daily"])
      #expect(try await rules(node)["lock"] == nil)
    }
  }
}
