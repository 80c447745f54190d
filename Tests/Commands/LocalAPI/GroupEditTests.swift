import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// Edits of groups of applications, at a real node.
@Suite struct GroupEditTests {
  private func withGroup(_ body: (any NodeInterface, HomeNode) async throws -> Void) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      let node = home.node(Caller(principal: .nodeUser, userID: 1_000))
      _ = try await node.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      let request = RuleRequest(
        [.init("limit", "60"), .init("hours", "15:00-18:00")], isNew: true, group: "Blocks",
        members: ["luanti", "kart"])
      let made = try await node.ask(Endpoints.setRules, (nil, request))
      #expect(made.members.map(\.appID.text) == ["kart", "luanti"] && made.members.allSatisfy { !$0.isRecognized })
      try await body(home.node(Caller(principal: .nodeUser, userID: 1_000)), home)
    }
  }

  private func fault(_ node: any NodeInterface, _ request: RuleRequest) async -> String {
    do {
      _ = try await node.ask(Endpoints.setRules, (nil, request))
      return ""
    } catch { return error.message }
  }

  @Test func aGroupHasOneSpelling() async throws {
    try await withGroup { node, _ in
      for members in [["kart"], nil] {
        let request = RuleRequest([.init("blocked", "yes")], group: "BLOCKS", members: members)
        #expect(await fault(node, request).contains("There is a group “Blocks”"))
      }
    }
  }

  private func edit(
    _ node: any NodeInterface, _ edit: RuleRequest.MemberEdit?, _ members: [String]
  ) async throws -> RuleEdit {
    let request = RuleRequest([], isNew: true, group: "Blocks", members: members, memberEdit: edit)
    return try await node.ask(Endpoints.setRules, (nil, request))
  }

  @Test func applicationsAreAddedToAGroupAndTakenOutOfItWithoutTheOthers() async throws {
    try await withGroup { node, _ in
      let more = try await edit(node, .add, ["chess"])
      #expect(more.members.map(\.appID.text) == ["chess", "kart", "luanti"] && more.formerMembers == nil)
      let fewer = try await edit(node, .remove, ["kart", "chess"])
      #expect(fewer.members.map(\.appID.text) == ["luanti"])
      #expect(fewer.formerMembers?.map(\.appID.text) == ["chess", "kart"])
      let rules = fewer.rules.rules
      #expect(rules.first { $0.key == "group/Blocks/members" }?.value == "luanti")
      #expect(rules.contains { $0.key == "group/Blocks/limit" })
      let others = try await edit(node, nil, ["kart"])
      #expect(others.formerMembers?.map(\.appID.text) == ["luanti"])
    }
  }

  @Test func aGroupKeepsAnApplicationAndOnlyItsOwnAreTakenOut() async throws {
    try await withGroup { node, _ in
      func fault(_ group: String, _ edit: RuleRequest.MemberEdit, _ members: [String]) async -> String {
        await self.fault(node, RuleRequest([], isNew: true, group: group, members: members, memberEdit: edit))
      }
      #expect(await fault("Blocks", .remove, ["luanti", "kart"]).contains("`latchkey apps group remove Blocks`"))
      #expect(await fault("Blocks", .remove, ["chess"]).contains("which has kart and luanti"))
      let missing = await fault("Block", .add, ["chess"])
      #expect(missing.contains("Did you mean Blocks?"), "\(missing)")
      #expect(missing.contains("`latchkey apps group set Block chess` makes it"), "\(missing)")
    }
  }

  @Test func aChildsGroupBeginsWithTheFamilysApplications() async throws {
    try await withGroup { node, _ in
      let family = RuleRequest([], isNew: true, group: "Games", members: ["racer", "kart"])
      _ = try await node.ask(Endpoints.setSettings, family)
      let request = RuleRequest([], isNew: true, group: "Games", members: ["racer"], memberEdit: .remove)
      let made = try await node.ask(Endpoints.setRules, (nil, request))
      #expect(made.rules.rules.first { $0.key == "group/Games/members" }?.value == "kart")
      let familys = try await node.ask(Endpoints.getSettings).rules
      #expect(familys.first { $0.key == "group/Games/members" }?.value == "kart\nracer")
    }
  }

  @Test func aGroupIsNoApplication() async throws {
    try await withGroup { node, _ in
      let app = RuleRequest([.init("blocked", "yes")], app: "blocks", isNew: true)
      #expect(await fault(node, app).contains("`latchkey apps group set Blocks`"))
      let nested = RuleRequest([], isNew: true, group: "Fun", members: ["Blocks"])
      #expect(await fault(node, nested).contains("“Blocks” is a group"))
      await #expect(throws: LocalAPIError.self) {
        _ = try await node.ask(Endpoints.grantTime, (nil, GrantRequest(minutes: 5, app: "Blocks")))
      }
    }
  }

  @Test func aGroupIsNotCalledAsAnApplicationAndAMisspeltOneIsAskedAbout() async throws {
    try await withGroup { node, _ in
      let kart = RuleRequest([.init("limit", "60")], isNew: true, group: "Kart", members: ["luanti"])
      #expect(await fault(node, kart).contains("“Kart” is an application: give the group a name of its own"))
      let misspelt = RuleRequest([.init("blocked", "yes")], group: "Block")
      #expect(await fault(node, misspelt).contains("“Block” yet. Did you mean Blocks? Otherwise name the"))
    }
  }

  @Test func anApplicationIsListedWithTheTimesOfItsGroups() async throws {
    try await withGroup { node, _ in
      let apps = try await node.ask(Endpoints.getApps, nil).flatMap(\.apps)
      let kart = apps.first { $0.appID.text == "kart" }
      #expect(kart?.groups == [GroupListing(name: SampleValues.app("Blocks"), limit: "60", hours: "15:00-18:00")])
    }
  }

  @Test func aGroupIsExplainedByTheApplicationsThatAreInIt() async throws {
    try await withGroup { node, _ in
      let error = await #expect(throws: LocalAPIError.self) {
        _ = try await node.ask(Endpoints.getExplanation, ("Emma", "blocks", nil))
      }
      let words = error?.phrase?.worded() ?? error?.message ?? ""
      #expect(words.contains("“Blocks” is a group"), "\(words)")
      #expect(words.contains("`latchkey explain Emma --app kart`"), "\(words)")
      #expect(words.contains("`latchkey rules Emma` shows its rules."), "\(words)")
    }
  }
}
