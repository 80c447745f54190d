import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What a receipt says of what an agent refuses: Protocol/10-household.md §2, 13-agent.md §5.
@Suite struct AgentAnswerTests {
  private let emma: ChildID
  private let tom: ChildID
  private let mum: DeviceID
  private let kart: AppID
  private let system = AgentHello(
    run: 1, isSystem: true, hasEvents: true, hasSessions: true, hasInput: true, user: 0, boot: "b", orders: nil)
  private let own = AgentHello(run: 1, isSystem: false, hasEvents: false, user: 1_000, boot: "b", orders: nil)
  private let path = AppMatcher(kind: .path, value: "/usr/games/kart")
  private let bad = AppMatcher(kind: .path, value: "kart")

  init() throws {
    var random = SeededRandom(seed: 4)
    mum = Samples.deviceID(&random)
    (emma, tom) = (
      try #require(ChildID("0193e29c-0000-7000-8000-000000000001")),
      try #require(ChildID("0193e29c-0000-7000-8000-000000000002"))
    )
    kart = try #require(AppID("kart"))
  }

  private func register(_ key: String, _ value: String?, of child: ChildID? = nil) throws -> Register {
    Register(
      .child(child ?? emma), try #require(RegisterKey(key)), value,
      modified: HybridTimestamp(wall: 5, counter: 0, author: mum))
  }

  /// Returns the degree and the conditions of a receipt, in words.
  private func receipt(
    _ key: String, _ value: String?, of child: ChildID? = nil, agent: AgentHello?, _ faults: OrderFault...,
    matchers: [AppMatcher]? = nil, unrecognized: Set<AppID> = [], noted: [String] = [],
    sessions: SessionTerms? = nil, blocked: Set<AppID> = []
  ) throws -> String {
    let program = ProgramOrder(app: kart, category: .reward, terms: ProgramTerms(), matchers: matchers ?? [path])
    let answer = AgentAnswer(
      agent: agent, orders: [AccountOrders(account: 1_000, sessions: sessions, programs: [program])], faults: faults)
    let state = answer.state(
      of: [try register(key, value, of: child)],
      on: AgentAnswer.Machine(accounts: [emma: [1_000]], unrecognized: unrecognized, blocked: [emma: blocked], noted: noted))
    let conditions = state.conditions.map { condition in
      [condition.name, condition.account.map { "\($0)" }, condition.detail].compactMap { $0 }.filter { !$0.isEmpty }
        .joined(separator: " ")
    }
    return ([state.enforcement?.rawValue ?? "none"] + conditions).joined(separator: ", ")
  }

  @Test("What cannot be frozen, or whose sessions cannot be closed, is told where a rule asks for it")
  func otherwise() throws {
    let (pause, close) = (
      OrderFault(.cannotPause, account: 1_000), OrderFault(.cannotCloseSession, account: 1_000)
    )
    #expect(
      try receipt("app/kart/step", "pause", agent: system, pause, close) == "enforced, cannot-pause 1000 no-cgroups")
    #expect(
      try receipt("app/kart/step", "pause", agent: own, pause) == "ownPrograms, cannot-pause 1000 own-programs")
    #expect(
      try receipt("sessions", "close", agent: own, pause, close)
        == "ownPrograms, cannot-close-sessions 1000 own-programs")
    #expect(try receipt("sessions", "leave", agent: own, pause, close) == "ownPrograms")
    #expect(try receipt("app/kart/limit", "60", agent: own, pause, close) == "ownPrograms")
  }

  @Test("A machine without process events, without logind, or with orders that were damaged says so")
  func machine() throws {
    var agent = system
    (agent.hasEvents, agent.hasSessions) = (false, false)
    #expect(try receipt("lock", "on", agent: agent) == "enforced, no-process-events")
    #expect(try receipt("sessions", "close", agent: agent) == "enforced, no-sessions, no-process-events")
    #expect(try receipt("lock", nil, agent: agent) == "enforced")
    #expect(
      try receipt("lock", "on", agent: own, OrderFault(.notKept, account: 0)) == "ownPrograms, orders-not-kept")
    #expect(try receipt("lock", "on", agent: system, noted: ["orders-damaged"]) == "enforced, orders-damaged")
    #expect(try receipt("name", "Emma", agent: agent, noted: ["orders-damaged"]) == "enforced")
  }

  @Test("What is always allowed and still closed, or ends with the session, is told")
  func alwaysAllowed() throws {
    let package = AppMatcher(kind: .package, value: "kart")
    #expect(try receipt("app/kart/allowed", "yes", agent: system, blocked: [kart]) == "enforced, app-blocked kart")
    #expect(try receipt("app/kart/allowed", "no", agent: system, blocked: [kart]) == "enforced")
    #expect(
      try receipt("app/kart/allowed", "yes", agent: system, sessions: SessionTerms())
        == "enforced, ends-with-session kart")
    #expect(
      try receipt("app/kart/allowed", "yes", agent: system, matchers: [path, package], sessions: SessionTerms())
        == "enforced")
    #expect(try receipt("app/kart/allowed", "yes", agent: system) == "enforced", "Sessions stay open.")
  }

  @Test("What an agent refuses as a whole is recorded, with the reason; what others are about is not")
  func open() throws {
    #expect(
      try receipt("lock", "on", agent: system, OrderFault(.noAccount, account: 1_000))
        == "recorded, rule-no-account 1000")
    #expect(
      try receipt("lock", "on", agent: own, OrderFault(.otherAccount, account: 1_000))
        == "recorded, rule-no-account 1000")
    #expect(try receipt("lock", "on", of: tom, agent: system) == "recorded, rule-no-account")
    for kind in [OrderFault.Kind.badMatcher, .neededProgram, .matchesEverything] {
      let fault = OrderFault(kind, account: 1_000, app: kart, detail: bad.value)
      #expect(
        try receipt("app/kart/blocked", "yes", agent: system, fault, matchers: [bad])
          == "recorded, \(fault.condition) 1000 kart")
      #expect(
        try receipt("app/kart/blocked", "yes", agent: system, fault, matchers: [bad, path])
          == "enforced, \(fault.condition) 1000 kart", "The other one recognizes it.")
      #expect(try receipt("app/other/blocked", "yes", agent: system, fault, matchers: [bad]) == "enforced")
    }
    #expect(
      try receipt("app/kart/blocked", "yes", agent: system, unrecognized: [kart])
        == "recorded, rule-unrecognized kart")
    #expect(try receipt("app/kart/blocked", nil, agent: system, unrecognized: [kart]) == "enforced")
  }

  @Test("Without a word of the agent's, it is recorded, and orders that are too large are the reason")
  func silent() throws {
    #expect(try receipt("lock", "on", agent: nil) == "recorded, agent-silent")
    #expect(
      try receipt("lock", "on", agent: nil, OrderFault(.tooLarge, account: 0)) == "recorded, too-many-rules")
    #expect(try receipt("name", "Emma", agent: nil) == "recorded")
  }
}
