import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of sessions that close: Protocol/13-agent.md §13.
@Suite struct ClosingSessionsTests {
  @Test("A screen is asked to lock although its desktop says that it is")
  func locksForged() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    rig.take(
      rig.machine.sensed(AgentPresence(accounts: [], locked: [1_000], input: .last(nil)), at: .init(milliseconds: 0)))
    rig.order([], sessions: SessionTerms(step: .lock, closesAt: .init(milliseconds: 0), reason: "bedtime"), at: 0)
    #expect(rig.deeds == ["lock 1000"])
    rig.tick(5_000)
    rig.tick(30_000)
    #expect(rig.deeds == ["lock 1000"])
  }

  @Test("Screens are locked again and again, and one that does not lock is told; log-ins go on")
  func locks() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    func see(_ accounts: Set<UInt32>, at now: Int64) {
      rig.take(rig.machine.sensed(AgentPresence(accounts: accounts, input: .last(nil)), at: .init(milliseconds: now)))
    }
    see([1_000], at: 0)
    rig.order([], sessions: SessionTerms(step: .lock, closesAt: .init(milliseconds: 1_000), reason: "bedtime"), at: 0)
    _ = rig.news()
    rig.tick(1_000)
    #expect(rig.news() == ["lock 1000", "sessions locked 1000"])
    #expect(rig.logIn(1_000, at: 1_100).isAllowed)
    see([], at: 1_500)
    rig.tick(6_000)
    #expect(rig.news() == [], "It is locked.")
    see([1_000], at: 8_000)
    rig.tick(11_000)
    #expect(rig.news() == ["lock 1000"], "It was unlocked.")
    rig.tick(16_000)
    rig.tick(21_000)
    _ = rig.news()
    rig.tick(26_000)
    #expect(rig.news() == ["lock 1000", "refused notLocked", "inForce 1"])
    see([], at: 27_000)
    rig.tick(31_000)
    #expect(rig.news() == ["inForce 1"], "It locks after all.")
    rig.order([], sessions: SessionTerms(step: .lock), number: 2, at: 32_000)
    see([1_000], at: 32_000)
    rig.tick(40_000)
    #expect(rig.news() == ["inForce 2"])
  }

  @Test(
    "Where a parent chose so, a screen stays open while something runs that is always allowed, and can be opened to start it"
  )
  func locksUnlessAllowed() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    let digest = String(repeating: "a", count: 64)
    let book = AgentRig.game(closesAt: nil, always: true, matchers: [AppMatcher(kind: .sha256, value: digest)])
    func see(_ accounts: Set<UInt32>, at now: Int64) {
      rig.take(rig.machine.sensed(AgentPresence(accounts: accounts, input: .last(nil)), at: .init(milliseconds: now)))
    }
    see([1_000], at: 0)
    rig.order(
      [book], sessions: SessionTerms(step: .lockUnlessAllowed, closesAt: .init(milliseconds: 0), reason: "bedtime"),
      at: 0)
    #expect(rig.deeds == ["lock 1000"], "Nothing of the kind runs.")
    see([], at: 1_000)
    rig.tick(5_000)
    see([1_000], at: 6_000)
    rig.tick(10_000)
    rig.tick(15_000)
    _ = rig.news()
    rig.see(5, "/usr/bin/book", start: 20_000, sha256: digest, at: 20_000)
    for now in stride(from: 20_000, through: 120_000, by: 5_000) as StrideThrough<Int64> { rig.tick(now) }
    #expect(rig.deeds == [])
    rig.take(rig.machine.ended(AgentRig.process(5), at: .init(milliseconds: 121_000)))
    for now in stride(from: 125_000, through: 150_000, by: 5_000) as StrideThrough<Int64> { rig.tick(now) }
    #expect(rig.deeds == [])
    rig.tick(155_000)
    #expect(rig.deeds == ["lock 1000"])
  }

  @Test(
    "Sessions that may not be open are locked, then ended, unless something runs that is always allowed; log-ins are refused"
  )
  func sessions() {
    let terms = SessionTerms(
      closesAt: .init(milliseconds: 10_000), opensAt: .init(milliseconds: 40_000),
      warnings: [.init(milliseconds: 2_000), .init(milliseconds: 8_000)], reason: "bedtime until 07:00")
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    let digest = String(repeating: "a", count: 64)
    let matchers = [AppMatcher(kind: .path, value: "/usr/games/kart"), AppMatcher(kind: .sha256, value: digest)]
    rig.order([AgentRig.game(closesAt: 0, always: true, matchers: matchers)], sessions: terms, at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, sha256: digest, at: 1_000)
    // A name or a path, which any program can have, keeps nothing open.
    rig.see(6, "/usr/games/kart", start: 1_000, at: 1_000)
    _ = rig.news()
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 1_500)) == .init(milliseconds: 2_000))
    rig.tick(2_000)
    rig.tick(2_500)
    rig.tick(8_000)
    #expect(
      rig.news().filter { $0.contains("sessions") } == ["sessions warned 1000 8000", "sessions warned 1000 2000"])
    rig.tick(9_999)
    _ = rig.news()
    #expect(rig.logIn(1_000, at: 9_999) == GateAnswer(isAllowed: true))
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 9_999)) == .init(milliseconds: 10_000))
    rig.tick(10_000)
    #expect(rig.news() == ["lock 1000", "sessions locked 1000"])
    #expect(rig.logIn(1_000, at: 10_100) == GateAnswer(isAllowed: false, reason: "bedtime until 07:00"))
    #expect(rig.logIn(1_000, at: 10_200).isAllowed == false)
    #expect(rig.logIn(1_001, at: 10_200).isAllowed && rig.logIn(0, at: 10_200).isAllowed)
    #expect(rig.news() == ["refused 1000 bedtime until 07:00"], "It is told once a minute.")
    rig.tick(15_000)
    #expect(rig.deeds == [], "Something runs that is always allowed.")
    for pid in [5, 6] as [Int32] { rig.take(rig.machine.ended(AgentRig.process(pid), at: .init(milliseconds: 16_000))) }
    _ = rig.news()
    rig.tick(20_000)
    #expect(rig.news() == ["end 1000", "sessions ended 1000"])
    rig.tick(25_000)
    #expect(rig.news() == ["end 1000"], "What logind left is looked for again.")
    rig.order([], sessions: SessionTerms(), number: 2, at: 26_000)
    rig.tick(30_000)
    #expect(rig.news() == ["inForce 2"] && rig.logIn(1_000, at: 30_000).isAllowed)
    rig.order([], sessions: terms, number: 3, at: 30_500)
    #expect(!rig.logIn(1_000, at: 39_999).isAllowed)
    rig.tick(40_000)
    _ = rig.news()
    rig.tick(50_000)
    #expect(rig.news() == [] && rig.logIn(1_000, at: 50_000).isAllowed, "They open again although no node says so.")
    rig.order([], account: 1_001, sessions: terms, number: 4, at: 51_000)
    #expect(rig.news() == ["refused cannotCloseSession", "inForce 4"], "The node's own are left alone.")
    #expect(rig.logIn(1_001, at: 51_000).isAllowed)
  }
}
