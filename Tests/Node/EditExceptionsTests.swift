import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What a receipt names that an agent carries out otherwise: Protocol/06-messages.md §4.
@Suite struct EditExceptionsTests {
  private func register(_ key: RuleKey, _ value: String?) throws -> Register {
    var random = SeededRandom(seed: 7)
    let child = try #require(ChildID(bytes: random.bytes(16)))
    let modified = HybridTimestamp(wall: 1, counter: 0, author: Samples.deviceID(&random))
    return Register(.child(child), try #require(key.registerKey), value, modified: modified)
  }

  private func exceptions(
    _ registers: [Register], _ faults: [OrderFault], accounts: Set<UInt32> = [1_000], isSystem: Bool = true,
    hasEvents: Bool = true, hasSessions: Bool = true, unrecognized: Set<AppID> = [], ofOwnEntries: Set<AppID> = [],
    blocked: Set<AppID> = [],
    sessions: SessionTerms? = nil, programs: [ProgramOrder] = [], hasLoginGate: Bool = true, isAbsent: Bool = false,
    members: [GroupName: Set<AppID>] = [:], others: [Register] = []
  ) throws -> EditExceptions {
    let agent = AgentHello(
      run: 1, isSystem: isSystem, hasEvents: hasEvents, hasSessions: hasSessions, hasInput: true, user: 0, boot: "b",
      orders: nil)
    let orders = accounts.sorted().map { AccountOrders(account: $0, sessions: sessions, programs: programs) }
    let child = try #require(registers.lazy.compactMap { if case .child(let id) = $0.zone { id } else { nil } }.first)
    let held = registers + others
    var rules = RuleSet.read(held, child: child).rules
    for app in blocked { rules.apps[app, default: RuleSet.App()].isBlocked = true }
    for (group, apps) in members { rules.groups[group, default: RuleSet.Group()].members = Array(apps) }
    return EditExceptions(
      registers, faults: faults, orders: orders, isAbsent: isAbsent, agent: agent,
      held: [HeldRules(child, rules, held, on: try #require(FamilyDay("2026-11-21")))], unrecognized: unrecognized,
      ofOwnEntries: ofOwnEntries, hasLoginGate: hasLoginGate)
  }

  @Test("What an edit does not ask for is not its exception")
  func unrelated() throws {
    let (kart, other) = (try #require(AppID("kart")), try #require(AppID("other")))
    let blocked = [try register(AppRule.blocked.key(of: kart), "yes")]
    let faults = [
      OrderFault(.neededProgram, account: 1_000, app: other, detail: "/usr/bin/gnome-shell"),
      OrderFault(.cannotPause, account: 1_000), OrderFault(.cannotCloseSession, account: 1_000),
      OrderFault(.noAccount, account: 2_000),
    ]
    let found = try exceptions(blocked, faults, hasSessions: false, unrecognized: [other])
    #expect(found.names.isEmpty && !found.leavesOpen)
  }

  @Test("An application of an account's own entry that does not count is not said to be unrecognized")
  func ownEntries() throws {
    let (kart, fun) = (try #require(AppID("kart")), try #require(GroupName("Fun")))
    let found = try exceptions([try register(AppRule.grace.key(of: kart), "20")], [], ofOwnEntries: [kart])
    #expect(found.names == ["rule-own-entry"] && found.leavesOpen)
    let allowed = [try register(GroupRule.allowed.key(of: fun), "yes")]
    let group = try exceptions(allowed, [], ofOwnEntries: [kart], members: [fun: [kart]])
    #expect(group.names == ["rule-own-entry"] && group.leavesOpen)
    var rules = RuleSet()
    rules.apps[kart] = RuleSet.App()
    let entry = [kart: InstalledMatchers([AppMatcher(kind: .path, value: "/home/emma/kart")], isOwn: true)]
    #expect(UnorderedApps([rules], entry, running: []) == UnorderedApps(ofOwnEntries: [kart], ofOwnFiles: [kart]))
    #expect(UnorderedApps([rules], entry, running: [kart]) == UnorderedApps())
    #expect(UnorderedApps([rules], [:], running: []) == UnorderedApps(unrecognized: [kart]))
    let script = [kart: InstalledMatchers([AppMatcher(kind: .argument, value: "/home/emma/kart")], isOwn: true)]
    #expect(UnorderedApps([rules], script, running: []) == UnorderedApps(ofOwnEntries: [kart]))
    rules.apps[kart]?.isBlocked = true
    #expect(UnorderedApps([rules], entry, running: []) == UnorderedApps())
    rules.apps[kart]?.isBlocked = false
    rules.apps[kart]?.isAlwaysAllowed = true
    #expect(UnorderedApps([rules], entry, running: []) == UnorderedApps(ofOwnEntries: [kart], ofOwnFiles: [kart]))
  }

  @Test("A group's edit is as far in force as those of its applications are")
  func groups() throws {
    let (kart, other, fun) = (
      try #require(AppID("kart")), try #require(AppID("other")), try #require(GroupName("Fun"))
    )
    let blocked = [try register(GroupRule.blocked.key(of: fun), "yes")]
    let members: [GroupName: Set<AppID>] = [fun: [kart, other]]
    let none = try exceptions(blocked, [], unrecognized: [kart, other], members: members)
    #expect(none.names == ["rule-unrecognized"] && none.leavesOpen)
    let some = try exceptions(blocked, [], unrecognized: [kart], members: members)
    #expect(some.names == ["rule-unrecognized"] && !some.leavesOpen)
    let all = try exceptions(blocked, [], members: members)
    #expect(all.names.isEmpty && !all.leavesOpen)
    #expect(try exceptions(blocked, []).leavesOpen, "A group without applications closes nothing.")
    let refused = [OrderFault(.badMatcher, account: 1_000, app: kart)]
    #expect(try exceptions(blocked, refused, members: members).names == ["rule-bad-matcher"])
    let allowed = [try register(GroupRule.allowed.key(of: fun), "yes")]
    #expect(try exceptions(allowed, [], blocked: [other], members: members).names == ["app-blocked"])
  }

  @Test("What is carried out otherwise is named, and what is not at all is only recorded")
  func named() throws {
    let kart = try #require(AppID("kart"))
    let blocked = [try register(AppRule.blocked.key(of: kart), "yes")]
    func names(_ found: EditExceptions) -> [String] { found.names.sorted() + (found.leavesOpen ? ["open"] : []) }
    for (kind, name) in [
      (OrderFault.Kind.neededProgram, "rule-needed-program"), (.matchesEverything, "rule-matches-everything"),
      (.badMatcher, "rule-bad-matcher"),
    ] {
      #expect(try names(exceptions(blocked, [OrderFault(kind, account: 1_000, app: kart)])) == [name, "open"])
    }
    let counted = [try register(ScreenTimeRule.unknownPrograms.key, "count")]
    #expect(try names(exceptions(counted, [], isSystem: false)) == ["unknown-not-counted", "open"])
    let alsoLimited = counted + [try register(ChildRule.dailyLimit.key, "60")]
    #expect(
      try names(exceptions(alsoLimited, [], isSystem: false)) == ["others-left-open", "unknown-not-counted"])
    #expect(try names(exceptions(counted, [])) == [])
    let listed = [try register(ScreenTimeRule.programs.key, "listed")]
    #expect(try names(exceptions(listed, [], isSystem: false)) == ["unlisted-left-open"])
    let locked = listed + [try register(ChildRule.lock.key, "on")]
    #expect(try names(exceptions(locked, [], isSystem: false)) == ["others-left-open", "unlisted-left-open"])
    #expect(try names(exceptions(listed, [])) == [])
    let step = [try register(AppRule.step.key(of: kart), "pause")]
    #expect(try names(exceptions(step, [OrderFault(.cannotPause, account: 1_000)])) == ["cannot-pause"])
    let sessions = [try register(ScreenTimeRule.sessions.key, "close")]
    #expect(
      try names(exceptions(sessions, [OrderFault(.cannotCloseSession, account: 1_000)], hasSessions: false))
        == ["cannot-close-sessions", "no-sessions"])
    #expect(try names(exceptions(blocked, [OrderFault(.noAccount, account: 1_000)])) == ["rule-no-account", "open"])
    #expect(
      try names(exceptions(blocked, [OrderFault(.noAccount, account: 1_000)], accounts: [1_000, 1_001])) == [
        "rule-no-account"
      ])
    #expect(
      try names(exceptions(blocked, [OrderFault(.otherAccount, account: 1_000)], isSystem: false))
        == ["rule-other-account", "open"])
    #expect(try names(exceptions(blocked, [OrderFault(.tooLarge, account: 0)])) == ["too-many-rules", "open"])
    #expect(try names(exceptions(blocked, [OrderFault(.notKept, account: 0)])) == ["orders-not-kept"])
    #expect(try names(exceptions(blocked, [], hasEvents: false)) == ["no-process-events"])
    #expect(try names(exceptions(blocked, [], unrecognized: [kart])) == ["rule-unrecognized", "open"])
    let matched =
      blocked + [
        try register(AppRule.matchers.key(of: kart), "path /opt/nothing"),
        try register(AppRule.name.key(of: kart), "Kart"),
      ]
    #expect(try names(exceptions(matched, [], unrecognized: [kart])) == ["rule-unrecognized", "open"])
    let mixed = blocked + [try register(ScreenTimeRule.unknownPrograms.key, "block")]
    #expect(try names(exceptions(mixed, [], unrecognized: [kart])) == ["rule-unrecognized"])
    #expect(
      try names(exceptions(blocked, [OrderFault(.noProgram, account: 1_000, app: kart)])) == [
        "rule-unrecognized", "open",
      ])
    #expect(try names(exceptions(blocked, [OrderFault(.noProgram, account: 1_000, app: AppID("other"))])) == [])
    #expect(
      try names(exceptions(blocked, [OrderFault(.sharedMatcher, account: 1_000, app: kart)])) == ["rule-shared-matcher"]
    )
    #expect(try names(exceptions(sessions, [], hasLoginGate: false)) == ["no-login-gate"])
    #expect(try names(exceptions(blocked, [], hasLoginGate: false)) == [])
    #expect(try names(exceptions(blocked, [], accounts: [])) == ["no-account", "open"])
    let silent = EditExceptions(blocked, faults: [], orders: [], agent: nil, unrecognized: [])
    #expect(silent.names == ["agent-silent"])
  }

  @Test("Rules that are off, overridden, or of times of what is always allowed close nothing, and are recorded")
  func heldUp() throws {
    let (kart, chess, fun) = (
      try #require(AppID("kart")), try #require(AppID("chess")), try #require(GroupName("Fun"))
    )
    func look(_ edit: [Register], _ others: [Register], members: [GroupName: Set<AppID>] = [:]) throws -> [String] {
      let found = try exceptions(edit, [], members: members, others: others)
      return found.names.sorted() + (found.leavesOpen ? ["open"] : [])
    }
    let blocked = [try register(AppRule.blocked.key(of: kart), "yes")]
    let off = try register(AppRule.enabled.key(of: kart), "no")
    #expect(try look(blocked, [off]) == ["rules-off", "open"])
    #expect(try look(blocked + [off], []) == ["rules-off"], "That they are off is in force.")
    #expect(try look([off], blocked).isEmpty)
    let group = [try register(GroupRule.blocked.key(of: fun), "yes")]
    #expect(try look(group, [off], members: [fun: [kart]]) == ["rules-off", "open"])
    #expect(try look(group, [off], members: [fun: [kart, chess]]) == ["rules-off"])
    let always = try register(AppRule.allowed.key(of: kart), "yes")
    let times = [
      try register(AppRule.limit.key(of: kart), "0"), try register(AppRule.hours.key(of: kart), "01:00-01:30"),
    ]
    #expect(try look(times, [always]) == ["always-allowed", "open"])
    #expect(try look(blocked, [always]).isEmpty, "A block closes it.")
    let hours = [try register(GroupRule.hours.key(of: fun), "01:00-01:30")]
    #expect(try look(hours, [always], members: [fun: [kart]]) == ["always-allowed", "open"])
    #expect(try look(hours, [always], members: [fun: [kart, chess]]) == ["always-allowed"])
    let limit = [try register(ChildRule.dailyLimit.key, "0")]
    let day = try #require(FamilyDay("2026-11-21"))
    #expect(try look(limit, [register(DayRule.limit.key(on: DayRange(day)), "none")]) == ["overridden-by-day", "open"])
    #expect(
      try look(limit, [register(ChildRule.dailyLimit.key.on(.saturday), "60")]) == ["overridden-by-weekday", "open"])
    #expect(try look(limit, [register(ChildRule.dailyLimit.key.on(.monday), "60")]).isEmpty)
  }

  @Test("A rule of the family is only recorded where each child's own holds instead")
  func familys() throws {
    var random = SeededRandom(seed: 9)
    let kart = try #require(AppID("kart"))
    let key = try #require(AppRule.blocked.key(of: kart).registerKey)
    let modified = HybridTimestamp(wall: 1, counter: 0, author: Samples.deviceID(&random))
    let rule = Register(.family, key, "yes", modified: modified)
    let children = [try #require(ChildID(bytes: random.bytes(16))), try #require(ChildID(bytes: random.bytes(16)))]
    let agent = AgentHello(
      run: 1, isSystem: true, hasEvents: true, hasSessions: true, hasInput: true, user: 0, boot: "b", orders: nil)
    func look(allowing count: Int) throws -> EditExceptions {
      let held = try children.enumerated().map { index, child in
        let registers = [rule] + (index < count ? [Register(.child(child), key, "no", modified: modified)] : [])
        return HeldRules(
          child, RuleSet.read(registers, child: child).rules, registers, on: try #require(FamilyDay("2026-11-21")))
      }
      return EditExceptions(
        [rule], faults: [], orders: [AccountOrders(account: 1_000, programs: [])], agent: agent, held: held,
        unrecognized: [])
    }
    #expect(try look(allowing: 0).names.isEmpty && !look(allowing: 0).leavesOpen)
    #expect(try look(allowing: 1).names == ["overridden-by-child"] && !look(allowing: 1).leavesOpen)
    #expect(try look(allowing: 2).names == ["overridden-by-child"] && look(allowing: 2).leavesOpen)
  }

  @Test("What is about a child who shares an account holds when that child is there, and is recorded until then")
  func notThere() throws {
    let kart = try #require(AppID("kart"))
    let blocked = [try register(AppRule.blocked.key(of: kart), "yes")]
    let nowhere = try exceptions(blocked, [], accounts: [], isAbsent: true)
    #expect(nowhere.names == ["not-there"] && nowhere.leavesOpen)
    let elsewhere = try exceptions(blocked, [], isAbsent: true)
    #expect(elsewhere.names == ["not-there"] && !elsewhere.leavesOpen, "The child has another account.")
    #expect(ConditionKind.receiptSentence(of: "not-there").contains("when the child is there"))
  }

  @Test("What is always allowed and closes nevertheless is named: because it is blocked, or ends with the session")
  func alwaysAllowed() throws {
    let kart = try #require(AppID("kart"))
    let path = AppMatcher(kind: .path, value: "/usr/games/kart")
    func names(
      _ matchers: [AppMatcher], value: String = "yes", sessions: SessionTerms? = nil, blocked: Set<AppID> = []
    ) throws -> Set<String> {
      let program = ProgramOrder(app: kart, category: .reward, terms: ProgramTerms(), matchers: matchers)
      return try exceptions(
        [try register(AppRule.allowed.key(of: kart), value)], [], blocked: blocked, sessions: sessions,
        programs: [program]
      ).names
    }
    #expect(try names([path], blocked: [kart]) == ["app-blocked"])
    #expect(try names([path], value: "no", sessions: SessionTerms(), blocked: [kart]) == [])
    #expect(try names([path], sessions: SessionTerms()) == ["ends-with-session"])
    #expect(try names([path], sessions: nil) == [], "Sessions stay open.")
    #expect(try names([path, AppMatcher(kind: .package, value: "kart")], sessions: SessionTerms()) == [])
    #expect(try names([], sessions: SessionTerms()) == [])
  }

  @Test("Every exception has a sentence, and an unknown one asks for an update", arguments: OrderFault.Kind.allCases)
  func sentences(kind: OrderFault.Kind) {
    let name = OrderFault(kind, account: 1).condition
    #expect(!ConditionKind.receiptSentence(of: name).contains("update"))
    #expect(ConditionKind.receiptSentence(of: "something-new").contains("update"))
  }
}
