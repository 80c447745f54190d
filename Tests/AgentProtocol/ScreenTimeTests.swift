import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the time for which somebody is at a session: Protocol/13-agent.md §9.
@Suite struct ScreenTimeTests {
  private static let minute: Int64 = 60_000
  private var rig = AgentRig()

  private func at(_ minutes: Int64) -> BootInstant { BootInstant(milliseconds: minutes * Self.minute) }

  private mutating func order(
    _ source: ScreenTerms.Source = .sessions, grace minutes: Int64 = 60, _ programs: [ProgramOrder] = []
  ) {
    let terms = ScreenTerms(source, graceMilliseconds: minutes * Self.minute)
    rig.order(programs, unknown: ProgramTerms(), screen: terms, at: 0)
    _ = rig.news()
  }

  private mutating func see(
    _ accounts: Set<UInt32>? = [1_000], locked: Set<UInt32> = [], input: Int64?, at now: Int64
  ) {
    rig.take(
      rig.machine.sensed(
        AgentPresence(accounts: accounts, locked: locked, input: .last(input.map { at($0) })), at: at(now)))
  }

  private func time(_ account: UInt32 = 1_000) -> Int64 { rig.machine.activity.screenTime(of: account) / Self.minute }

  @Test("It counts while a session is in use, whatever runs, and up to the family's grace after the last input")
  mutating func counts() {
    order()
    see(input: 0, at: 0)
    see(input: 0, at: 50)
    #expect(time() == 50, "A film of fifty minutes.")
    see(input: 0, at: 90)
    #expect(time() == 60, "Nobody has been there for an hour.")
    see(input: 95, at: 100)
    #expect(time() == 65)
    see([], input: 100, at: 110)
    see([1_001], input: 110, at: 120)
    #expect(time() == 75, "At the log-in screen and in somebody else's session it does not.")
  }

  @Test("Behind a lock it does not count, unless somebody goes on typing there, which a forged lock shows")
  mutating func locked() {
    order()
    see([], locked: [1_000], input: 0, at: 0)
    for minute in 1...30 as ClosedRange<Int64> { see([], locked: [1_000], input: 0, at: minute) }
    #expect(time() == 0)
    // A password that is typed twice.
    see([], locked: [1_000], input: 31, at: 31)
    see([], locked: [1_000], input: 32, at: 32)
    for minute in 33...60 as ClosedRange<Int64> { see([], locked: [1_000], input: 32, at: minute) }
    #expect(time() == 0)
    for minute in 61...80 as ClosedRange<Int64> { see([], locked: [1_000], input: minute, at: minute) }
    #expect((16...18).contains(time()), "\(time())")
    let before = time()
    for minute in 81...100 as ClosedRange<Int64> { see([], locked: [1_000], input: 80, at: minute) }
    #expect(time() - before <= 1, "It is believed again when nobody types.")
  }

  @Test("A lock that is taken away for a moment again and again hides nothing")
  mutating func flickering() {
    order()
    for minute in 1...60 as ClosedRange<Int64> {
      see([], locked: [1_000], input: minute, at: minute)
      if minute % 2 == 0 { see([1_000], input: minute, at: minute) }
      see([], locked: [1_000], input: minute, at: minute)
    }
    #expect(time() > 50, "\(time())")
  }

  @Test("Without sessions or input devices to read, programs alone count")
  mutating func blind() {
    order()
    see(nil, input: 0, at: 0)
    see(nil, input: 30, at: 30)
    #expect(time() == 0)
    rig.take(rig.machine.sensed(AgentPresence(accounts: [1_000]), at: at(30)))
    rig.take(rig.machine.sensed(AgentPresence(accounts: [1_000]), at: at(60)))
    #expect(time() == 0)
  }

  @Test("A family that measures programs alone has no such time")
  mutating func programs() {
    order(.programs)
    see(input: 0, at: 0)
    see(input: 10, at: 10)
    #expect(time() == 0 && rig.news().allSatisfy { !$0.hasPrefix("screen") })
  }

  @Test("Where learning is free, the time is left out in which nothing else runs and somebody learns")
  mutating func learning() throws {
    let digest = String(repeating: "a", count: 64)
    let math = ProgramOrder(
      app: try #require(AppID("math")), category: .learning, terms: ProgramTerms(),
      matchers: [AppMatcher(kind: .sha256, value: digest)])
    order(.sessionsWithoutLearning, [math])
    see(input: 0, at: 0)
    rig.see(5, "/usr/games/math", start: 0, sha256: digest, at: 0)
    see(input: 4, at: 4)
    see(input: 8, at: 8)
    #expect(time() == 0)
    // A program of the child's own runs beside it.
    rig.see(6, "/home/emma/tool", start: 8 * Self.minute, writable: true, at: 8 * Self.minute)
    see(input: 12, at: 12)
    #expect(time() == 4)
    rig.take(rig.machine.ended(AgentRig.process(6), at: at(12)))
    see(input: 12, at: 37)
    #expect(time() == 24, "Of 25 minutes, learning without input counts for five as learning.")
  }

  @Test(
    "It is told with the orders, every five seconds while it advances, and to a node that connects; the newest is kept")
  mutating func told() {
    let terms = ScreenTerms(.sessions, graceMilliseconds: 60 * Self.minute)
    rig.order([], screen: terms, at: 0)
    #expect(rig.news() == ["inForce 1", "screen 1000 0"])
    see(input: 0, at: 0)
    #expect(rig.machine.nextTimer(after: at(0)) == BootInstant(milliseconds: 5_000))
    rig.tick(5_000)
    #expect(rig.news().last == "screen 1000 5000")
    rig.tick(7_000)
    #expect(rig.news() == [])
    rig.tick(10_000)
    #expect(rig.news() == ["screen 1000 10000"])
    see([], input: 0, at: 1)
    rig.tick(65_000)
    _ = rig.news()
    rig.tick(75_000)
    #expect(rig.news() == [] && rig.machine.nextTimer(after: .init(milliseconds: 75_000)) == nil)
    rig.take(rig.machine.connected(stored: 0, at: .init(milliseconds: 80_000)))
    #expect(rig.news().filter { $0.hasPrefix("screen") }.last == "screen 1000 60000")
    #expect(rig.machine.log.waiting.count { if case .screenTime = $0.event { true } else { false } } == 1)
  }

  @Test("Sleep does not count")
  mutating func slept() {
    order()
    see(input: 0, at: 0)
    see(input: 10, at: 10)
    rig.take(rig.machine.slept(20 * Self.minute, at: at(30)))
    see(input: 30, at: 31)
    #expect(time() == 11)
  }
}
