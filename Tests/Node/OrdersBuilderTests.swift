import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What follows for an agent from what holds for a child: Protocol/13-agent.md §4.
@Suite struct OrdersBuilderTests {
  private let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))

  private func orders(_ change: (inout RuleSet) -> Void, isSystem: Bool) -> AccountOrders {
    var rules = RuleSet()
    change(&rules)
    let state = EnforcementState()
    state.connected(AgentHello(run: 1, isSystem: isSystem, hasEvents: false, user: 1_000, boot: "b", orders: nil))
    let situation = Situation(
      boot: BootInstant(milliseconds: 1_000_000), time: 1_795_446_000_000,
      day: rules.boundary.day(containing: 1_795_446_000_000))
    let standing = ChildStanding(
      child: child, plan: DayPlan(rules, for: situation), situation: situation, running: [])
    let tracked = [UInt32(1_000): [AppID.unknownPrograms: [ProcessIdentity(processID: 7, startTime: 1)]]]
    var builder = OrdersBuilder(standing: standing, state: state, tracked: tracked)
    builder.installed = Self.installed
    return builder.orders(for: 1_000)
  }

  private static let installed: [AppID: InstalledMatchers] = [
    "office": InstalledMatchers([
      AppMatcher(kind: .package, value: "office"), AppMatcher(kind: .path, value: "/usr/bin/office"),
    ]),
    "racer": InstalledMatchers([AppMatcher(kind: .argument, value: "/opt/racer/start.sh")]),
    "own": InstalledMatchers([AppMatcher(kind: .path, value: "/home/emma/own")], isOwn: true),
    "kart": InstalledMatchers([AppMatcher(kind: .path, value: "/usr/games/kart")]),
  ].reduce(into: [:]) { found, one in if let id = AppID(one.key) { found[id] = one.value } }

  @Test(
    "The system's agent counts what no rule names, and closes it with everything; the agent of one user does neither")
  func counted() throws {
    let kart = try #require(AppID("kart"))
    for isLocked in [false, true] {
      func lock(_ rules: inout RuleSet) {
        rules.lock = isLocked ? .on : .off
        rules.apps[kart] = RuleSet.App()
        rules.apps[kart]?.isAlwaysAllowed = true
      }
      let counted = orders(lock, isSystem: true)
      #expect((counted.unknown?.closesAt != nil) == isLocked && counted.unknown?.step == .close)
      let others = try #require(counted.programs.first { $0.app == .otherPrograms })
      #expect((others.terms.closesAt != nil) == isLocked && !others.isAlwaysAllowed && others.category == .neutral)
      #expect(others.terms.reason == (isLocked ? "Other programs: locked by a parent" : ""))
      // What has a rule of its own, or is in the child's own folders, is none of them.
      #expect(others.matchers.map(\.value) == ["office", "/opt/racer/start.sh", "/usr/bin/office"])
      let own = orders(lock, isSystem: false)
      #expect(own.unknown == nil && !own.programs.contains { $0.app == .otherPrograms })
    }
  }

  @Test("A lock or a block without time to save leaves none, whatever else closes, and no other rule takes any away")
  func now() throws {
    let kart = try #require(AppID("kart"))
    func grace(_ change: (inout RuleSet) -> Void, step: ClosingStep = .close) throws -> Int64 {
      let orders = orders(
        { rules in
          rules.apps[kart, default: RuleSet.App()].grace = 60
          rules.apps[kart]?.step = step
          change(&rules)
        }, isSystem: true)
      let terms = try #require(orders.programs.first { $0.app == kart }).terms
      // What is frozen otherwise is closed as well.
      #expect(terms.step == (step == .pause && terms.graceMilliseconds > 0 ? .pause : .close))
      return terms.graceMilliseconds
    }
    // The situation is on 2026-11-23 at 15:00 UTC.
    for (lock, wanted) in [
      ("on", 60_000), ("on now", 0), ("until 2026-11-23T15:01Z now", 0), ("until 2026-11-23T14:59Z now", 60_000),
    ] as [(String, Int64)] {
      let lock = try Lock(typed: lock)
      #expect(try grace { $0.lock = lock } == wanted, "\(lock)")
      #expect(
        try grace {
          $0.lock = lock
          $0.apps[kart]?.block = .yes
        } == wanted, "\(lock)")
      #expect(
        try grace {
          $0.lock = lock
          $0.apps[kart]?.isAlwaysAllowed = true
        } == 60_000, "\(lock)")
    }
    #expect(try grace({ $0.lock = .onNow }, step: .pause) == 0 && grace({ $0.lock = .on }, step: .pause) == 60_000)
    for (block, wanted) in [(Block.no, Int64(60_000)), (.yes, 60_000), (.now, 0)] {
      #expect(try grace { $0.apps[kart]?.block = block } == wanted)
      #expect(
        try grace {
          $0.groups[kart] = RuleSet.Group()
          $0.groups[kart]?.members = [kart]
          $0.groups[kart]?.block = block
        } == wanted)
    }
  }

  @Test("What counts as screen time, and what is done about sessions, is as the family chose")
  func screenTime() {
    #expect(orders({ _ in }, isSystem: true).screen == ScreenTerms(.sessions, graceMilliseconds: 3_600_000))
    let free = orders({ ($0.screenTime.learning, $0.screenTime.graceMinutes) = (.free, 90) }, isSystem: true)
    #expect(free.screen == ScreenTerms(.sessionsWithoutLearning, graceMilliseconds: 5_400_000))
    #expect(orders({ $0.screenTime.source = .programs }, isSystem: true).screen.source == .programs)
    #expect(orders({ $0.lock = .on }, isSystem: true).sessions == nil)
    for (choice, step) in [
      (ClosedSessions.lock, SessionTerms.Step.lock), (.lockUnlessAllowed, .lockUnlessAllowed), (.close, .close),
    ] {
      let closed = orders({ ($0.lock, $0.sessions) = (.on, choice) }, isSystem: true).sessions
      #expect(closed?.step == step && closed?.closesAt != nil)
      #expect(orders({ $0.sessions = choice }, isSystem: true).sessions == SessionTerms(step: step))
    }
  }

  @Test("What an account has installed for itself keeps to its limit, and uses no time that was granted for it alone")
  func ownMatchers() throws {
    let own = try #require(AppID("own"))
    func order(_ limit: String, _ change: (inout RuleSet) -> Void = { _ in }) throws -> ProgramOrder? {
      let limits = try DayLimits(limit)
      let found = orders(
        { rules in
          rules.apps[own, default: RuleSet.App()].limit = limits
          change(&rules)
        }, isSystem: true)
      return found.programs.first { $0.app == own }
    }
    let closed = try #require(try order("0"))
    #expect(closed.matchers.map(\.value) == ["/home/emma/own"] && closed.category == .neutral)
    #expect(closed.terms.closesAt != nil && closed.terms.reason.hasPrefix("own: no"))
    #expect(try order("60")?.terms.closesAt != BootInstant(milliseconds: 1_000_000))
    let id = try #require(CommandID(bytes: [UInt8](repeating: 3, count: 16)))
    let granted = try order("60") { rules in
      rules.dailyLimit = DayLimits(everyDay: 0)
      rules.grants[rules.boundary.day(containing: 1_795_446_000_000)] = [id: Grant(minutes: 30, scope: .app(own))]
    }
    #expect(granted?.terms.closesAt == BootInstant(milliseconds: 1_000_000), "Any program could have its ID.")
  }

  @Test(
    "A file that a parent allows by its content takes nothing from its application, which keeps to its hours and limits"
  )
  func allowedByContent() throws {
    let (own, kart) = (try #require(AppID("own")), try #require(AppID("kart")))
    let digest = AppMatcher(kind: .sha256, value: String(repeating: "0a", count: 32))
    func order(of id: AppID, _ programs: AllowedPrograms) throws -> ProgramOrder {
      let none = try DayLimits("0")
      let found = orders(
        { rules in
          rules.programs = programs
          rules.apps[id, default: RuleSet.App()].limit = none
          rules.apps[id]?.category = .neutral
          rules.apps[id]?.matchers = [digest]
        }, isSystem: true)
      return try #require(found.programs.first { $0.app == id })
    }
    // Where only listed applications may run, the child's own menu says nothing.
    let listed = try order(of: own, .listed)
    #expect(listed.matchers == [digest] && listed.terms.closesAt != nil && listed.terms.reason.hasPrefix("own: no"))
    #expect(try order(of: own, .all).matchers.map(\.value) == [digest.value, "/home/emma/own"])
    #expect(try order(of: kart, .listed).matchers.map(\.value) == [digest.value, "/usr/games/kart"])
  }

  @Test("What a parent's own matchers no longer recognize is one of the other programs")
  func matchersOfOnesOwn() throws {
    let kart = try #require(AppID("kart"))
    let given = orders(
      { $0.apps[kart, default: RuleSet.App()].matchers = [AppMatcher(kind: .path, value: "/opt/kart")] }, isSystem: true
    )
    let others = try #require(given.programs.first { $0.app == .otherPrograms })
    #expect(others.matchers.map(\.value).contains("/usr/games/kart"))
  }

  @Test(
    "Unknown programs that are rewards close with the rewards, and blocked ones are closed", arguments: [false, true])
  func closed(isSystem: Bool) throws {
    let reward = orders({ $0.unknownPrograms = .reward }, isSystem: isSystem)
    #expect(try #require(reward.unknown).reason == "An unknown program: no points are left")
    #expect(reward.unknown?.closesAt != nil)
    let free = orders({ ($0.unknownPrograms, $0.mode) = (.reward, .limits) }, isSystem: isSystem)
    #expect(free.unknown == ProgramTerms())
    let blocked = orders({ $0.unknownPrograms = .block }, isSystem: isSystem)
    #expect(try #require(blocked.unknown).closesAt != nil)
  }
}
