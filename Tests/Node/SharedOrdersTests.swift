import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What follows for an agent in an account that several children share while nobody is named.
@Suite struct SharedOrdersTests {
  private static let time: Int64 = 1_795_446_000_000
  private let kart: AppID

  init() throws { kart = try #require(AppID("kart")) }

  private func orders(
    _ children: [(String, (inout RuleSet) -> Void)], isSystem: Bool = true,
    installed: InstalledMatchers? = InstalledMatchers([AppMatcher(kind: .path, value: "/usr/games/kart")])
  ) throws -> AccountOrders {
    let state = EnforcementState()
    state.connected(AgentHello(run: 1, isSystem: isSystem, hasEvents: false, user: 1_000, boot: "b", orders: nil))
    let builders = children.enumerated().map { number, child in
      var rules = RuleSet()
      child.1(&rules)
      let situation = Situation(
        boot: BootInstant(milliseconds: 1_000_000), time: Self.time, day: rules.boundary.day(containing: Self.time),
        spendable: 1_000_000)
      let standing = ChildStanding(
        child: ChildID(milliseconds: Int64(number), random: [UInt8](repeating: 1, count: 10)),
        plan: DayPlan(rules, for: situation), situation: situation, running: [])
      var builder = OrdersBuilder(standing: standing, state: state)
      if let installed { builder.installed = [kart: installed] }
      return builder.unnamed(child.0)
    }
    return try #require(SharedOrdersBuilder(builders: builders).orders(for: 1_000))
  }

  private func add(_ rules: inout RuleSet, _ change: (inout RuleSet.App) -> Void = { _ in }) {
    var app = RuleSet.App()
    app.name = "Kart"
    change(&app)
    rules.apps[kart] = app
  }

  @Test("A program closes by the stricter rules, and the reason says whose they are")
  func stricter() throws {
    let orders = try orders([
      ("Emma", { add(&$0) }), ("Ben", { add(&$0) { $0.isBlocked = true } }),
    ])
    let order = try #require(orders.programs.first { $0.app == kart })
    #expect(order.terms.closesAt != nil && order.terms.reason == "Kart is blocked for Ben")
    #expect(orders.programs.first { $0.app == .otherPrograms }?.terms == ProgramTerms())
    #expect(orders.screen.source == .sessions)
  }

  @Test("It is always allowed if it is for each child, and what locks one closes everything else")
  func alwaysAllowed() throws {
    let allowed = { (rules: inout RuleSet) in self.add(&rules) { $0.isAlwaysAllowed = true } }
    let locked = { (rules: inout RuleSet) in
      allowed(&rules)
      rules.lock = .on
    }
    let both = try orders([("Emma", allowed), ("Ben", locked)])
    #expect(both.programs.first { $0.app == kart }?.isAlwaysAllowed == true)
    #expect(both.unknown?.reason == "An unknown program: locked by a parent for Ben")
    let others = try #require(both.programs.first { $0.app == .otherPrograms })
    #expect(others.terms.closesAt != nil && others.terms.reason == "Other programs: locked by a parent for Ben")
    let one = try orders([("Emma", allowed), ("Ben", { add(&$0) })])
    #expect(one.programs.first { $0.app == kart }?.isAlwaysAllowed == false)
  }

  @Test("A reward that costs points is closed until somebody is named, with no time to save that nobody pays")
  func rewards() throws {
    let reward = { (rules: inout RuleSet) in
      self.add(&rules) { ($0.category, $0.milliPointsPerMinute, $0.grace) = (.reward, 2_000, 300) }
    }
    let order = try #require(
      try orders([("Emma", reward), ("Ben", { add(&$0) })]).programs.first { $0.app == kart })
    #expect(order.category == .reward && order.terms.closesAt != nil)
    #expect(order.terms.reason.hasPrefix("Kart: nobody has said who is here"), "\(order.terms.reason)")
    #expect(order.terms.graceMilliseconds == ProgramTerms.usualGrace)
    let limits = try orders([
      (
        "Emma",
        {
          reward(&$0)
          $0.mode = .limits
        }
      )
    ]).programs.first { $0.app == kart }
    #expect(limits?.terms.closesAt == nil)
  }

  @Test("A program that costs points has no more time to save than usual, whatever else closes it")
  func paidAndLocked() throws {
    let reward = { (rules: inout RuleSet) in
      self.add(&rules) { ($0.category, $0.milliPointsPerMinute, $0.grace) = (.reward, 2_000, 300) }
    }
    let slow = { (rules: inout RuleSet) in
      self.add(&rules) { $0.grace = 300 }
      rules.lock = .on
    }
    let paid = try orders([("Emma", slow), ("Ben", reward)]).programs.first { $0.app == kart }
    #expect(paid?.terms.reason == "Kart: locked by a parent for Emma", "\(String(describing: paid))")
    #expect(paid?.terms.graceMilliseconds == ProgramTerms.usualGrace)
    let free = try orders([("Emma", slow), ("Ben", { add(&$0) { $0.grace = 300 } })]).programs.first { $0.app == kart }
    #expect(free?.terms.graceMilliseconds == 300_000)
  }

  @Test("What leaves one child no time to save leaves none, also where a sibling's rule is the reason")
  func noTime() throws {
    let slow = { (rules: inout RuleSet) in self.add(&rules) { $0.grace = 300 } }
    func locked(_ lock: Lock) -> (inout RuleSet) -> Void {
      { rules in
        slow(&rules)
        rules.lock = lock
      }
    }
    let order = try orders([("Emma", locked(.on)), ("Ben", locked(.onNow))])
    let program = try #require(order.programs.first { $0.app == kart })
    #expect(program.terms.reason.hasSuffix("for Emma") && program.terms.graceMilliseconds == 0)
    #expect(order.unknown?.graceMilliseconds == 0)
    #expect(order.programs.first { $0.app == .otherPrograms }?.terms.graceMilliseconds == 0)
    let usual = try orders([("Emma", locked(.on)), ("Ben", locked(.on))]).programs.first { $0.app == kart }
    #expect(usual?.terms.graceMilliseconds == 300_000)
  }

  @Test("What only one child's rules recognize is an unknown program for the other, unless it is installed")
  func unknown() throws {
    let path = AppMatcher(kind: .path, value: "/opt/kart")
    let named = { (rules: inout RuleSet) in self.add(&rules) { $0.matchers = [path] } }
    let blocking = { (rules: inout RuleSet) in rules.unknownPrograms = .block }
    func order(_ installed: InstalledMatchers?, _ ben: @escaping (inout RuleSet) -> Void) throws -> ProgramOrder {
      let found = try orders([("Emma", named), ("Ben", ben)], installed: installed).programs.first { $0.app == kart }
      return try #require(found)
    }
    let closed = try order(nil, blocking)
    #expect(closed.terms.closesAt != nil && closed.terms.reason.hasSuffix("for Ben"), "\(closed)")
    #expect(try order(nil, { $0.unknownPrograms = .reward }).category == .reward)
    #expect(try order(nil, { _ in }).terms.closesAt == nil)
    #expect(try order(InstalledMatchers([path]), blocking).terms.closesAt == nil)
    #expect(try order(InstalledMatchers([path], isOwn: true), blocking).terms.closesAt != nil)
  }

  @Test("One child's matchers do not make a program what a sibling's milder rules allow")
  func looser() throws {
    let loose = { (rules: inout RuleSet) in
      self.add(&rules) { ($0.isAlwaysAllowed, $0.matchers) = (true, [AppMatcher(kind: .name, value: "game")]) }
    }
    let mild = { (rules: inout RuleSet) in
      self.add(&rules) { $0.isAlwaysAllowed = true }
      rules.unknownPrograms = .block
    }
    let order = try #require(try orders([("Emma", loose), ("Ben", mild)]).programs.first { $0.app == kart })
    #expect(!order.isAlwaysAllowed && order.terms.closesAt != nil && order.terms.reason.hasSuffix("for Ben"))
    let same = try orders([("Emma", loose), ("Ben", loose)]).programs.first { $0.app == kart }
    #expect(same?.isAlwaysAllowed == true && same?.terms.closesAt == nil)
  }

  @Test("What the rules of one child do not recognize is for that child one of the other programs")
  func unrecognized() throws {
    let matched = { (rules: inout RuleSet) in
      self.add(&rules) { $0.matchers = [AppMatcher(kind: .path, value: "/opt/kart")] }
    }
    let listed = try orders([("Emma", matched), ("Ben", { $0.programs = .listed })])
    let order = try #require(listed.programs.first { $0.app == kart })
    #expect(order.terms.closesAt != nil && order.terms.reason.hasSuffix("for Ben"), "\(order.terms.reason)")
  }

  @Test("Sessions close when they are closed for each of the children, so that the others can say who is there")
  func sessions() throws {
    let locked = { (rules: inout RuleSet) in (rules.lock, rules.sessions) = (.on, .close) }
    let open = { (rules: inout RuleSet) in rules.sessions = .lock }
    #expect(try orders([("Emma", open), ("Ben", locked)]).sessions == SessionTerms(step: .lock))
    #expect(try orders([("Emma", { _ in }), ("Ben", locked)]).sessions == nil)
    let both = try #require(try orders([("Emma", locked), ("Ben", locked)]).sessions)
    #expect(both.closesAt != nil && both.step == .close && both.reason == "locked by a parent for Emma")
  }
}
