import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// Who is there in an account that several children share, as the local API takes and tells it:
/// Protocol/10-household.md §3.
@Suite struct SharedAccountRouteTests {
  /// An account of no system.
  private static let account: UInt32 = 4_000_000_001

  /// Runs a test with a child's node on which Emma and Ben share an account, and with the node by
  /// the rights of that account.
  ///
  /// Ben has the PIN 4711, and Emma none.
  private func with(_ body: (HomeNode, any NodeInterface) async throws -> Void) async throws {
    try await HomeNode.with(children: ["Emma", "Ben"]) { home in
      let modified = HybridTimestamp(wall: home.service.context.wall(), counter: 1, author: SampleValues.parentID)
      let (own, owners) = (home.service.context.own, try #require(AccountOwners(home.children)))
      let digits = try #require(PIN("4711"))
      let pin = try #require(await PINWork.hash(digits))
      try await home.save([
        Register(.machine(own), HouseholdKey.account(Self.account), owners.text, modified: modified),
        Register(.child(home.children[1]), HouseholdKey.pin, pin.text, modified: modified),
      ])
      _ = try await home.service.context.store.setAccounts(
        [Account(uid: Self.account, name: "kids", fullName: "")], [], key: { HouseholdKey.account($0) },
        nameKey: { HouseholdKey.account(named: $0) }, at: modified.wall)
      try await body(home, home.node(Caller(principal: .sharedAccount, userID: Self.account)))
    }
  }

  private func name(_ child: String?, _ pin: String?, _ node: any NodeInterface) async throws -> String? {
    try await node.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin)).present?.text
  }

  private func refusal(_ child: String, _ pin: String?, _ node: any NodeInterface) async -> LocalAPIError? {
    do throws(LocalAPIError) {
      _ = try await node.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin))
      return nil
    } catch { return error }
  }

  @Test("Without a PIN everything but the PIN is checked, and nobody is named and no attempt counted")
  func asking() async throws {
    try await with { home, node in
      #expect(await refusal("Zoe", nil, node)?.code == .unknownChild)
      #expect(await refusal("Emma", nil, node)?.message.contains("has no PIN yet") == true)
      let named = try await name("Ben", nil, node)
      #expect(named == nil)
      #expect(try await home.service.context.store.wrongPINs(of: home.children[1]) == nil)
      for _ in 0..<5 { #expect(await refusal("Ben", "0000", node)?.code == .forbidden) }
      let waits = await refusal("Ben", nil, node)
      #expect(waits?.code == .limit && waits?.message.contains("Too many wrong PINs") == true)
      #expect(try await home.service.context.store.wrongPINs(of: home.children[1])?.count == 5)
    }
  }

  @Test("A condition about missing PINs names the children who have none")
  func missingPINs() async throws {
    try await with { home, _ in
      let context = home.service.context
      let missing = MachineCondition("pin-missing", account: Self.account)
      _ = try await context.store.setInventory(EntryList([missing]), at: context.wall())
      let root = home.node(Caller(principal: .root, userID: 0))
      let told = try await root.ask(Endpoints.getConditions)
      #expect(told.map(\.children) == [[DeviceName(sanitising: "Emma")]], "Ben has a PIN.")
      let next = told.first?.words(on: "this machine")?.next
      #expect(next == "Give each of the children one with `latchkey children pin Emma`.")
    }
  }

  @Test("In an account that is one child's, the answer names what a parent types to share it")
  func unshared() async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      let node = home.node(Caller(principal: .nodeUser, userID: 1_000))
      #expect(await refusal("Emma", nil, node)?.message.contains("`latchkey accounts assign`") == true)
    }
  }

  @Test("A child may leave at once, and only naming waits for ten seconds after any change")
  func leaving() async throws {
    try await with { home, node in
      #expect(try await name("Ben", "4711", node) == "Ben")
      #expect(try await name("Ben", nil, node) == "Ben", "Nothing changes.")
      #expect(try await name(nil, nil, node) == nil)
      let since = try await home.service.context.store.presentChildren().first?.since
      #expect(try await name(nil, nil, node) == nil)
      #expect(try await home.service.context.store.presentChildren().first?.since == since, "It was no change.")
      for pin in [nil, "4711"] {
        let early = await refusal("Ben", pin, home.node(Caller(principal: .sharedAccount, userID: Self.account)))
        #expect(early?.code == .limit && early?.message.hasSuffix(" s.") == true, "\(String(describing: early))")
      }
    }
  }

  @Test("Who has said who is there need not be named, also if the account runs the node")
  func ownNode() async throws {
    try await with { home, node in
      func runner() -> any NodeInterface { home.node(Caller(principal: .nodeUser, userID: Self.account)) }
      await #expect(throws: LocalAPIError.self) { _ = try await runner().ask(Endpoints.getRules, nil) }
      let named = try await name("Ben", "4711", node)
      let rules = try await runner().ask(Endpoints.getRules, nil)
      #expect(named == "Ben" && rules.child.name.text == "Ben")
    }
  }

  @Test("Explanations, the day and the accounts say who is there, and what the stricter rules say until then")
  func words() async throws {
    try await with { home, node in
      let modified = HybridTimestamp(wall: home.service.context.wall(), counter: 2, author: SampleValues.parentID)
      try await home.save([
        Register(.child(home.children[0]), "app/kart/name", "Kart", modified: modified),
        Register(.child(home.children[1]), "lock", "on", modified: modified),
      ])
      func root() -> any NodeInterface { home.node(Caller(principal: .root, userID: 0)) }
      let place = "On this machine, Emma and Ben share the account kids."
      let next = "After `latchkey me --i-am Emma` there, Emma's own rules hold."
      let before = try await root().ask(Endpoints.getExplanation, ("Emma", "Kart", nil))
      #expect(before.app.verdict.isAllowed, "By Emma's own rules.")
      #expect(
        before.shared == [
          "\(place) Nobody has said who is there, so the stricter of both rules holds: Kart is not allowed there (locked by a parent for Ben). \(next)"
        ])
      let later = try await root().ask(Endpoints.getExplanation, ("Emma", "Kart", before.at + 60_000))
      #expect(later.shared.first?.hasPrefix("\(place) While nobody has said who is there, the stricter") == true)
      let notices = try await root().ask(Endpoints.getToday, "Emma").notices
      #expect(
        notices.map { $0.worded() }.contains(
          "\(place) Nobody has said who is there, so the stricter of both rules holds."))
      #expect(try await root().ask(Endpoints.getAccounts, nil).map(\.isUnnamed) == [true])

      let unnamed = try #require(try await node.ask(Endpoints.getPresence).unnamed)
      #expect(unnamed.sentence.worded().hasPrefix("Emma and Ben share this account"))
      #expect(!unnamed.screen.isAllowed && unnamed.screen.reason?.worded() == "locked by a parent for Ben")
      #expect(try await name("Ben", "4711", node) == "Ben")
      #expect(try await node.ask(Endpoints.getPresence).unnamed == nil)
      let there = try await root().ask(Endpoints.getExplanation, ("Emma", "Kart", nil))
      #expect(there.shared == ["\(place) Ben is there now, so Ben's rules hold in it. \(next)"])
      #expect(try await root().ask(Endpoints.getAccounts, nil).map(\.present?.text) == ["Ben"])
    }
  }

  @Test("Where nothing is closed, explanations, the day and who may be there say so of the stricter rules as well")
  func leftOpen() async throws {
    try await with { home, node in
      let context = home.service.context
      let modified = HybridTimestamp(wall: context.wall(), counter: 2, author: SampleValues.parentID)
      try await home.save([
        Register(.child(home.children[0]), "app/kart/name", "Kart", modified: modified),
        Register(.child(home.children[1]), "lock", "on", modified: modified),
      ])
      _ = try await context.store.setInventory(EntryList([MachineCondition("no-agent")]), at: context.wall())
      func root() -> any NodeInterface { home.node(Caller(principal: .root, userID: 0)) }
      let shared = try await root().ask(Endpoints.getExplanation, ("Emma", "Kart", nil)).shared
      #expect(
        shared.first?.contains(
          "Kart is not allowed there (locked by a parent for Ben), but nothing closes it. The node on this machine was started "
            + "without an agent") == true, "\(shared)")
      let ben = try await root().ask(Endpoints.getToday, "Ben").screen
      #expect(!ben.isAllowed && ben.reason?.worded() == "locked by a parent, but nothing closes it")
      let unnamed = try #require(try await node.ask(Endpoints.getPresence).unnamed)
      #expect(unnamed.screen.reason?.worded() == "locked by a parent for Ben, but nothing closes it")
    }
  }

  @Test("Nothing is told of how an application is recognized whose rules are off")
  func off() async throws {
    try await with { home, _ in
      let modified = HybridTimestamp(wall: home.service.context.wall(), counter: 2, author: SampleValues.parentID)
      let kart = try #require(AppID("kart"))
      try await home.save([Register(.child(home.children[0]), "app/kart/blocked", "yes", modified: modified)])
      #expect(try await home.service.context.unorderedApps().unrecognized.contains(kart))
      try await home.save([Register(.child(home.children[0]), "app/kart/enabled", "no", modified: modified)])
      #expect(try await !home.service.context.unorderedApps().unrecognized.contains(kart))
    }
  }
}
