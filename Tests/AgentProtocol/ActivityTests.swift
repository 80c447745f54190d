import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the clocks of applications, by what is seen of people: Protocol/13-agent.md §9.
@Suite struct ActivityTests {
  private static let minute: Int64 = 60_000
  private var machine = AgentMachine(abilities: AgentAbilities(onlyAccount: nil))

  /// A child's account in which two programs of learning and a game may run.
  init() throws {
    let programs = try [("kart", AppCategory.reward), ("math", .learning), ("notes", .neutral)].map { name, category in
      ProgramOrder(
        app: try #require(AppID(name)), category: category, terms: ProgramTerms(closesAt: nil, reason: ""),
        matchers: [AppMatcher(kind: .sha256, value: Self.digest(name)), AppMatcher(kind: .name, value: name)])
    }
    let accounts = [1_000, 1_001].map { AccountOrders(account: $0, unknown: ProgramTerms(), programs: programs) }
    let orders = AgentOrders(number: 1, boot: "b", at: at(0), accounts: accounts)
    _ = machine.received(orders, boot: "b", at: at(0)) { _ in true }
  }

  private static func digest(_ name: String) -> String {
    let half = name.utf8.map { String($0 % 16, radix: 16) }.joined()
    return String((half + String(repeating: "0", count: 64)).prefix(64))
  }

  private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  private mutating func run(
    _ name: String, _ pid: Int32, account: UInt32 = 1_000, weakly: Bool = false, at now: Int64
  ) {
    let facts = ProcessFacts(
      identity: ProcessIdentity(processID: pid, startTime: 1), account: account, startedAt: at(now), name: name,
      images: [.init(path: "/usr/games/\(name)", sha256: weakly ? nil : Self.digest(name))])
    _ = machine.saw(facts, at: at(now))
  }

  private mutating func see(accounts: Set<UInt32>?, input: Int64?, at now: Int64) {
    _ = machine.sensed(AgentPresence(accounts: accounts, input: .last(input.map { at($0) })), at: at(now))
  }

  /// Returns what the clock of a process's application shows at its end.
  private mutating func end(_ pid: Int32, at now: Int64) -> Int64? {
    for effect in machine.ended(ProcessIdentity(processID: pid, startTime: 1), at: at(now)) {
      if case .tell(let report) = effect, case .ended(_, _, let activity) = report.event { return activity }
    }
    return nil
  }

  @Test("That sessions or input can be seen, or no more, is told once, and the newest alone is kept for a node")
  mutating func senses() throws {
    func told(_ presence: AgentPresence, at now: Int64) -> [AgentReport.Event] {
      machine.sensed(presence, at: at(now)).compactMap { effect in
        if case .tell(let report) = effect { report.event } else { nil }
      }
    }
    let (blind, all) = (AgentPresence(), AgentPresence(accounts: [], input: .last(nil)))
    #expect(told(blind, at: 0) == [], "The greeting says it.")
    #expect(told(all, at: 1) == [.senses(hasSessions: true, hasInput: true)])
    #expect(told(AgentPresence(accounts: [1_000], input: .last(at(1))), at: 2) == [])
    #expect(
      told(AgentPresence(accounts: nil, input: .last(at(1))), at: 3) == [.senses(hasSessions: false, hasInput: true)])
    #expect(told(blind, at: 4) == [.senses(hasSessions: false, hasInput: false)])
    let kept = machine.log.waiting.map(\.event).filter { if case .senses = $0 { true } else { false } }
    #expect(kept == [.senses(hasSessions: false, hasInput: false)])
  }

  @Test("Where neither sessions nor input can be seen, an application is active while it runs")
  mutating func blind() {
    run("math", 5, at: 1_000)
    #expect(end(5, at: 601_000) == 600_000)
  }

  @Test("Without input, nobody is there; an input counts for five minutes")
  mutating func input() {
    see(accounts: [1_000], input: nil, at: 0)
    run("math", 5, at: 0)
    see(accounts: [1_000], input: nil, at: 10 * Self.minute)
    see(accounts: [1_000], input: 11 * Self.minute, at: 12 * Self.minute)
    run("math", 6, at: 30 * Self.minute)
    #expect(end(6, at: 30 * Self.minute) == 5 * Self.minute)
    see(accounts: [1_000], input: 40 * Self.minute, at: 40 * Self.minute)
    #expect(end(5, at: 41 * Self.minute) == 6 * Self.minute)
  }

  @Test("Input that goes on keeps an application active without a gap")
  mutating func steady() {
    see(accounts: [1_000], input: 0, at: 0)
    run("math", 5, at: 0)
    for second in stride(from: Int64(5), through: 600, by: 5) {
      see(accounts: [1_000], input: second * 1_000 - 100, at: second * 1_000)
      _ = machine.timerFired(at: at(second * 1_000))
    }
    #expect(end(5, at: 600_000) == 600_000)
  }

  @Test("A session that is locked, in the background or somebody else's shows nobody")
  mutating func sessions() {
    see(accounts: [1_001], input: 0, at: 0)
    run("math", 5, at: 0)
    run("math", 7, account: 1_001, at: 0)
    // The other account's session is in front, then the child's, then none.
    see(accounts: [1_000], input: Self.minute, at: Self.minute)
    see(accounts: [], input: 3 * Self.minute, at: 3 * Self.minute)
    #expect(end(5, at: 4 * Self.minute) == 2 * Self.minute)
    #expect(end(7, at: 4 * Self.minute) == Self.minute)
  }

  @Test("Without input devices the session alone decides, and without logind the input alone")
  mutating func partly() {
    _ = machine.sensed(AgentPresence(accounts: [1_000], input: .unknown), at: at(0))
    run("math", 5, at: 0)
    _ = machine.sensed(AgentPresence(accounts: [], input: .unknown), at: at(20 * Self.minute))
    _ = machine.sensed(AgentPresence(accounts: nil, input: .last(nil)), at: at(30 * Self.minute))
    see(accounts: nil, input: 40 * Self.minute, at: 40 * Self.minute)
    #expect(end(5, at: 41 * Self.minute) == 21 * Self.minute)
  }

  @Test("Learning stands still while a reward runs in the same account, and nothing else does")
  mutating func rewardBeside() {
    see(accounts: nil, input: 0, at: 0)
    run("math", 5, at: 0)
    run("notes", 6, at: 0)
    run("math", 7, account: 1_001, at: 0)
    run("kart", 8, at: 60_000)
    #expect(end(8, at: 90_000) == 30_000, "The reward's own clock goes on.")
    #expect(end(5, at: 100_000) == 70_000)
    #expect(end(6, at: 100_000) == 100_000)
    #expect(end(7, at: 100_000) == 100_000)
  }

  @Test("Two programs of one application count once, and one that is recognized weakly not for the other")
  mutating func shared() {
    run("math", 5, at: 0)
    run("math", 6, at: 40_000)
    run("math", 7, weakly: true, at: 50_000)
    #expect(end(5, at: 60_000) == 60_000)
    #expect(end(6, at: 100_000) == 100_000)
    #expect(end(7, at: 200_000) == 150_000)
    run("math", 8, at: 300_000)
    #expect(end(8, at: 310_000) == 110_000, "The clock goes on where it stood.")
  }

  @Test("All unknown programs of an account share a clock, which stands while nobody is there")
  mutating func unknown() {
    func start(_ pid: Int32, account: UInt32 = 1_000, at now: Int64) {
      _ = machine.saw(
        ProcessFacts(
          identity: ProcessIdentity(processID: pid, startTime: 1), account: account, startedAt: at(now), name: "own",
          images: [.init(path: "/home/emma/own\(pid)")], isFromWritablePlace: true), at: at(now))
    }
    see(accounts: [1_000], input: 0, at: 0)
    start(5, at: 0)
    start(6, at: 60_000)
    start(7, account: 1_001, at: 60_000)
    #expect(end(6, at: 120_000) == 120_000, "It counts with the other one.")
    #expect(end(7, at: 120_000) == 0, "Nobody uses that account.")
    #expect(end(5, at: 20 * Self.minute) == 5 * Self.minute, "The input was long ago.")
    see(accounts: [1_000], input: 30 * Self.minute, at: 30 * Self.minute)
    start(8, at: 31 * Self.minute)
    #expect(end(8, at: 32 * Self.minute) == 6 * Self.minute)
  }

  @Test("A sleep of the machine is no activity")
  mutating func slept() {
    run("math", 5, at: 0)
    _ = machine.slept(60_000, at: at(100_000))
    #expect(end(5, at: 101_000) == 41_000)
  }

  @Test("The clock's reading is told at the start, every five seconds, and at a greeting")
  mutating func told() {
    see(accounts: [1_000], input: 0, at: 0)
    run("math", 5, at: 0)
    let told = (machine.timerFired(at: at(5_000)) + machine.connected(stored: 99, at: at(6_000))).compactMap {
      effect -> Int64? in
      guard case .tell(let report) = effect else { return nil }
      return switch report.event {
      case .began(_, _, let activity), .active(_, _, let activity), .ended(_, _, let activity): activity
      default: nil
      }
    }
    #expect(told == [5_000, 6_000])
  }
}
