import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the agent's decisions, state by state: Protocol/13-agent.md §9.
@Suite struct AgentMachineTests {
  /// A machine with what it did.
  private struct Rig {
    var machine: AgentMachine
    var deeds: [String] = []
    var reports: [AgentReport] = []
    static let boot = "boot-1"

    init(_ abilities: AgentAbilities = AgentAbilities(onlyAccount: nil)) {
      machine = AgentMachine(abilities: abilities)
    }

    mutating func take(_ effects: [AgentEffect]) {
      for effect in effects {
        switch effect {
        case .ask(let process): deeds.append("ask \(process.processID)")
        case .kill(let process): deeds.append("kill \(process.processID)")
        case .pause(let process): deeds.append("pause \(process.processID)")
        case .resume(let process): deeds.append("resume \(process.processID)")
        case .lockSessions(let account): deeds.append("lock \(account)")
        case .endSessions(let account): deeds.append("end \(account)")
        case .tell(let report): reports.append(report)
        }
      }
    }

    /// Returns what was done and told since the last call.
    mutating func news() -> [String] {
      defer { (deeds, reports) = ([], []) }
      return deeds + reports.map { $0.event.word }
    }

    mutating func order(
      _ programs: [ProgramOrder], unknown: ProgramTerms? = nil, account: UInt32 = 1_000, sessions: SessionTerms? = nil,
      number: UInt64 = 1, boot: String = Rig.boot, madeAt: Int64 = 0, at now: Int64
    ) {
      let orders = AgentOrders(
        number: number, boot: boot, at: .init(milliseconds: madeAt),
        accounts: [AccountOrders(account: account, sessions: sessions, unknown: unknown, programs: programs)])
      take(machine.received(orders, boot: Rig.boot, at: .init(milliseconds: now)) { $0 < 2_000 })
    }

    mutating func see(
      _ pid: Int32, _ path: String, start: Int64, account: UInt32 = 1_000, writable: Bool = false,
      isProtected: Bool = false, sha256: String? = nil, mapped: String? = nil, at now: Int64
    ) {
      let facts = ProcessFacts(
        identity: Rig.process(pid), account: account, startedAt: .init(milliseconds: start), name: "x",
        images: [.init(path: path, sha256: sha256)] + (mapped.map { [.init(path: $0)] } ?? []),
        isFromWritablePlace: writable, isProtected: isProtected)
      take(machine.saw(facts, at: .init(milliseconds: now)))
    }

    mutating func look(_ pids: [Int32], at now: Int64) {
      take(machine.looked(present: Set(pids.map(Rig.process)), at: .init(milliseconds: now)))
    }

    mutating func logIn(_ account: UInt32, at now: Int64) -> GateAnswer {
      let (answer, effects) = machine.mayLogIn(account, at: .init(milliseconds: now))
      take(effects)
      return answer
    }

    mutating func tick(_ now: Int64) { take(machine.timerFired(at: .init(milliseconds: now))) }

    static func process(_ pid: Int32) -> ProcessIdentity { ProcessIdentity(processID: pid, startTime: UInt64(pid)) }
  }

  private func game(
    closesAt: Int64?, warnings: [Int64] = [], step: ProgramTerms.Step = .close, always: Bool = false,
    category: AppCategory = .reward, matchers: [AppMatcher] = [AppMatcher(kind: .path, value: "/usr/games/kart")]
  ) -> ProgramOrder {
    ProgramOrder(
      app: AppID("kart") ?? AppID("x")!, category: category, isAlwaysAllowed: always,
      terms: ProgramTerms(
        closesAt: closesAt.map { .init(milliseconds: $0) }, step: step,
        warnings: warnings.map { .init(milliseconds: $0) }, reason: "a limit"), matchers: matchers)
  }

  @Test("Of several applications that a child can pretend to run, the one that closes first counts")
  func pretended() {
    var rig = Rig()
    var allowed = game(closesAt: nil, matchers: [AppMatcher(kind: .argument, value: "*homework*")])
    allowed.app = AppID("a-course") ?? allowed.app
    allowed.category = .learning
    rig.order([allowed, game(closesAt: 500)], at: 1_000)
    let facts = ProcessFacts(
      identity: Rig.process(7), account: 1_000, startedAt: .init(milliseconds: 2_000), name: "x",
      arguments: "kart --name homework", images: [.init(path: "/usr/games/kart")])
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 2_000)))
    #expect(rig.deeds == ["kill 7"])
    // A copy of the program at that path, by its content.
    var copy = facts
    copy.identity = Rig.process(8)
    copy.images = [.init(path: "/home/emma/homework", copiedPaths: ["/usr/games/kart"])]
    rig.take(rig.machine.saw(copy, at: .init(milliseconds: 2_000)))
    #expect(rig.deeds == ["kill 7", "kill 8"])
    // One that hides what it runs behind more arguments than are looked at.
    rig.order([allowed, game(closesAt: 500, matchers: [AppMatcher(kind: .argument, value: "craft.jar")])], at: 3_000)
    rig.deeds = []
    var padded = facts
    padded.identity = Rig.process(9)
    padded.images = [.init(path: "/usr/bin/java")]
    padded.arguments = "java homework"
    rig.take(rig.machine.saw(padded, at: .init(milliseconds: 3_000)))
    #expect(rig.deeds == [])
    padded.hasMoreArguments = true
    rig.take(rig.machine.saw(padded, at: .init(milliseconds: 3_000)))
    #expect(rig.deeds == ["kill 9"])
  }

  @Test("A blocked program is killed beside as many others as are followed at the same time")
  func manyOthers() {
    var rig = Rig()
    rig.order([game(closesAt: 0)], at: 1_000)
    for pid in 1...Int32(AgentMachine.capacity) { rig.see(pid, "/usr/bin/true", start: 2_000, at: 2_000) }
    let game = Int32(AgentMachine.capacity) + 1
    rig.see(game, "/usr/games/kart", start: 2_000, at: 2_000)
    #expect(rig.deeds == ["kill \(game)"])
    // What becomes the blocked program is killed as well, and the others are still there.
    rig.see(7, "/usr/games/kart", start: 2_000, at: 2_100)
    #expect(rig.deeds == ["kill \(game)", "kill 7"])
    #expect(rig.machine.processes.count == AgentMachine.capacity + 1)
    rig.look([7], at: 2_200)
    #expect(rig.machine.processes == [Rig.process(7)])
  }

  @Test("Without orders, and in accounts that no order names, nothing is touched or told")
  func nobody() {
    var rig = Rig()
    rig.see(5, "/usr/games/kart", start: 0, at: 100)
    rig.order([game(closesAt: 0)], at: 200)
    #expect(rig.news() == ["inForce 1"])
    rig.see(6, "/usr/games/kart", start: 150, account: 1_001, at: 300)
    rig.see(7, "/usr/games/other", start: 150, at: 300)
    #expect(rig.news() == [] && rig.machine.nextTimer(after: .init(milliseconds: 300)) == nil)
    #expect(rig.machine.processes == [Rig.process(7)])
  }

  @Test("A program that begins while it is blocked is killed at once, and is not used")
  func blocked() {
    var rig = Rig()
    rig.order([game(closesAt: 0)], at: 100)
    _ = rig.news()
    rig.see(5, "/usr/games/kart", start: 500, at: 510)
    #expect(rig.news() == ["kill 5", "killed 5 kart"], "It is no use.")
    rig.look([5], at: 700)
    #expect(rig.news() == [])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 700)) == .init(milliseconds: 1_510))
    rig.tick(1_510)
    #expect(rig.news() == ["kill 5"], "It is killed again if it is still there.")
    rig.look([], at: 1_600)
    #expect(rig.news() == [] && rig.machine.processes.isEmpty)
  }

  @Test("A program whose time ends is warned of, asked to end, and killed after the grace")
  func limit() {
    var rig = Rig()
    rig.order([game(closesAt: 100_000, warnings: [40_000, 99_000])], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_500)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 1000"])
    rig.tick(39_999)
    #expect(rig.news() == ["active 5 kart 38999"])
    rig.tick(40_000)
    #expect(rig.news() == ["warned kart 60000"])
    // The end moves a little with each decision, and nothing is said again.
    rig.order([game(closesAt: 100_010, warnings: [40_010, 99_010])], number: 2, at: 50_000)
    #expect(rig.news() == ["inForce 2"])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 50_000)) == .init(milliseconds: 44_999))
    rig.tick(99_010)
    #expect(rig.news() == ["warned kart 1000", "active 5 kart 98010"])
    rig.tick(100_010)
    #expect(rig.news() == ["ask 5", "asked 5 kart"])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 100_010)) == .init(milliseconds: 104_010))
    rig.tick(104_010)
    _ = rig.news()
    rig.tick(105_010)
    #expect(rig.news() == ["kill 5", "killed 5 kart"])
    rig.take(rig.machine.ended(Rig.process(5), at: .init(milliseconds: 105_020)))
    #expect(rig.news() == ["ended 5 kart 104020"])
    #expect(rig.machine.processes.isEmpty)
  }

  @Test("A grant within the grace lets a program go on, and the next end is a new one")
  func granted() {
    var rig = Rig()
    rig.look([], at: 0)
    rig.order([game(closesAt: 50_000)], at: 1_000)
    rig.see(5, "/usr/games/kart", start: 2_000, at: 2_000)
    rig.tick(50_000)
    #expect(rig.news().contains("ask 5"))
    rig.order([game(closesAt: 200_000)], number: 2, at: 51_000)
    rig.tick(60_000)
    #expect(!rig.news().contains { $0.hasPrefix("kill") })
    rig.tick(200_000)
    #expect(rig.news().contains("ask 5"))
  }

  @Test("A program that is always allowed, or protected, survives every step")
  func spared() {
    var rig = Rig()
    rig.order([game(closesAt: 0, always: true)], unknown: ProgramTerms(closesAt: .init(milliseconds: 0)), at: 0)
    rig.see(5, "/usr/games/kart", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10"])
    rig.order([game(closesAt: 0)], unknown: ProgramTerms(closesAt: .init(milliseconds: 0)), number: 2, at: 30)
    _ = rig.news()
    rig.see(6, "/usr/games/kart", start: 40, writable: true, isProtected: true, at: 50)
    rig.see(7, "/home/emma/mine", start: 40, writable: true, isProtected: true, at: 50)
    rig.tick(60)
    #expect(!rig.deeds.contains { $0.hasSuffix(" 6") || $0.hasSuffix(" 7") })
  }

  @Test("Unknown programs from places that the account can write to are closed if orders say so, others never")
  func unknown() {
    var rig = Rig()
    rig.order([], at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1"])
    rig.order([], unknown: ProgramTerms(closesAt: .init(milliseconds: 0), reason: "blocked"), number: 2, at: 30)
    #expect(rig.news() == ["kill 5", "inForce 2", "killed 5 ?"])
    rig.see(6, "/usr/bin/vim", start: 40, at: 50)
    #expect(rig.news() == [])
  }

  @Test("Unknown programs that merely count take no room from applications, and one tells of all that they run")
  func manyUnknown() {
    var rig = Rig()
    rig.order([game(closesAt: 0)], unknown: ProgramTerms(), at: 0)
    let most = Int32(AgentMachine.capacity)
    for pid in 1...most + 1 { rig.see(1_000 + pid, "/home/emma/own", start: 10, writable: true, at: 20) }
    #expect(rig.news().count == Int(most) + 1, "The last one is not followed, and the orders are in force.")
    rig.see(5, "/usr/games/kart", start: 30, at: 40)
    #expect(rig.news() == ["kill 5", "killed 5 kart"])
    rig.tick(5_040)
    #expect(rig.news().filter { $0.hasPrefix("active") }.count == 1)
  }

  @Test("What a process runs after an exec is another use; a copy is recognized by its hash")
  func exec() {
    let digest = String(repeating: "c", count: 64)
    var rig = Rig()
    rig.order(
      [game(closesAt: 0, matchers: [AppMatcher(kind: .sha256, value: digest)])], at: 0)
    rig.look([5], at: 100)
    rig.see(5, "/bin/sh", start: 10, at: 100)
    #expect(rig.news() == ["inForce 1"])
    rig.look([5], at: 1_000)
    rig.see(5, "/home/emma/copy", start: 10, sha256: digest, at: 2_000)
    #expect(
      rig.news() == ["kill 5", "killed 5 kart"],
      "It began after the look at 1,000, so nothing of it is older than the block.")
    rig.see(5, "/bin/sh", start: 10, at: 2_100)
    #expect(rig.news() == [])
    rig.order([game(closesAt: nil, matchers: [AppMatcher(kind: .sha256, value: digest)])], number: 2, at: 3_000)
    rig.see(5, "/home/emma/copy", start: 10, sha256: digest, at: 4_000)
    rig.see(5, "/bin/sh", start: 10, at: 5_000)
    #expect(rig.news() == ["inForce 2", "began 5 kart since 10", "ended 5 kart 4990"])
  }

  @Test("A program that ran before it was blocked is asked first, however late the orders come")
  func late() {
    var rig = Rig()
    rig.order([], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 100, at: 1_000)
    rig.look([5], at: 1_000)
    rig.look([5], at: 2_000)
    // It maps another file, which makes it no other program.
    rig.see(5, "/usr/games/kart", start: 100, mapped: "/usr/games/track", at: 3_000)
    rig.look([5], at: 3_000)
    _ = rig.news()
    rig.order([game(closesAt: 1_500)], number: 2, madeAt: 1_500, at: 4_000)
    #expect(rig.deeds == ["ask 5"])
    rig.see(5, "/usr/games/kart", start: 100, mapped: "/usr/games/other", at: 5_000)
    rig.tick(9_000)
    #expect(rig.deeds == ["ask 5", "kill 5"])
  }

  @Test("A program that is older than the agent's run is asked first: it may have been allowed when it began")
  func restarted() {
    var rig = Rig()
    let orders = AgentOrders(
      number: 9, boot: Rig.boot, at: .init(milliseconds: 0),
      accounts: [AccountOrders(account: 1_000, programs: [game(closesAt: 60_000)])])
    rig.take(rig.machine.received(orders, boot: Rig.boot, at: .init(milliseconds: 90_000)) { _ in true })
    rig.see(5, "/usr/games/kart", start: 10, at: 90_000)
    rig.see(6, "/usr/games/kart", start: 70_000, at: 90_000)
    #expect(rig.deeds == ["ask 5", "kill 6"])
  }

  @Test("Orders that cannot be written to the disk hold, and the node is told until they are there")
  func notKept() {
    var rig = Rig()
    let orders = AgentOrders(
      number: 9, boot: Rig.boot, at: .init(milliseconds: 0),
      accounts: [
        AccountOrders(account: 1_000, programs: [game(closesAt: 0)]), AccountOrders(account: 9_000, programs: []),
      ])
    rig.take(rig.machine.received(orders, boot: Rig.boot, isDurable: false, at: .init(milliseconds: 10)) { $0 < 2_000 })
    func told() -> [AgentReport.Event] {
      defer { rig.reports = [] }
      return rig.reports.map(\.event)
    }
    let (notKept, noAccount) = (OrderFault(.notKept, account: 0), OrderFault(.noAccount, account: 9_000))
    #expect(told() == [.refused(orders: 9, notKept), .refused(orders: 9, noAccount), .inForce(orders: 9)])
    rig.see(5, "/usr/games/kart", start: 100, at: 200)
    #expect(rig.deeds == ["kill 5"])
    rig.reports = []
    for report in rig.machine.waitingReports { rig.machine.stored(report.number) }
    rig.take(rig.machine.connected(stored: 0, at: .init(milliseconds: 300)))
    #expect(told() == [.refused(orders: 9, notKept), .refused(orders: 9, noAccount), .inForce(orders: 9)])
    rig.take(rig.machine.kept(at: .init(milliseconds: 400)))
    #expect(told() == [.refused(orders: 9, noAccount), .inForce(orders: 9)])
  }

  @Test("A node that was restarted does not know since when a program is closed; the agent does")
  func sinceWhen() {
    var rig = Rig()
    rig.order([game(closesAt: 100)], at: 100)
    rig.order([game(closesAt: 5_000)], number: 2, at: 5_000)
    rig.see(5, "/usr/games/kart", start: 4_900, at: 5_100)
    #expect(rig.deeds == ["kill 5"])
    rig.order([game(closesAt: 9_000)], number: 3, at: 6_000)
    rig.order([game(closesAt: 9_000)], number: 4, at: 9_500)
    rig.see(6, "/usr/games/kart", start: 8_900, at: 9_600)
    #expect(rig.deeds == ["kill 5", "ask 5", "ask 6"], "They were allowed between.")
  }

  @Test("Orders of an earlier boot hold with what was left when they were made")
  func anotherBoot() {
    var rig = Rig()
    rig.order([game(closesAt: 90_000, warnings: [80_000, 89_000])], boot: "boot-0", madeAt: 85_000, at: 1_000)
    rig.see(5, "/usr/games/kart", start: 1_500, at: 2_000)
    _ = rig.news()
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 2_000)) == .init(milliseconds: 4_000))
    rig.tick(5_000)
    #expect(rig.news().contains("ask 5"))
    rig.order([game(closesAt: 10)], number: 2, boot: "boot-0", madeAt: 85_000, at: 6_000)
    rig.see(6, "/usr/games/kart", start: 6_100, at: 6_100)
    #expect(rig.deeds.last == "kill 6", "What was closed stays closed.")
  }

  @Test("Parts of orders that cannot be carried out are refused, each with its reason; the rest holds")
  func refused() {
    var rig = Rig(AgentAbilities(onlyAccount: 1_000))
    rig.order(
      [
        game(
          closesAt: 0, step: .pause,
          matchers: [
            AppMatcher(kind: .path, value: "/usr/bin/gnome-shell"), AppMatcher(kind: .name, value: "*"),
            AppMatcher(kind: .path, value: "/usr/games/kart"),
          ])
      ], sessions: SessionTerms(), at: 0)
    #expect(
      rig.news() == [
        "refused cannotCloseSession", "refused neededProgram", "refused matchesEverything", "refused cannotPause",
        "inForce 1",
      ])
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    rig.see(6, "/usr/bin/gnome-shell", start: 10, at: 20)
    #expect(rig.deeds == ["kill 5"], "What cannot be paused is closed.")
    for (account, fault) in [(1_001, "otherAccount"), (0, "otherAccount")] as [(UInt32, String)] {
      rig.order([game(closesAt: 0)], account: account, number: 2, at: 30)
      #expect(rig.news().contains("refused \(fault)"))
    }
    var system = Rig()
    for account in [0, 5_000] as [UInt32] {
      system.order([game(closesAt: 0)], account: account, at: 30)
      #expect(system.news() == ["refused noAccount", "inForce 1"])
      #expect(system.machine.supervisedAccounts.isEmpty)
    }
  }

  @Test(
    "A program is paused once, is no use meanwhile, goes on when it may, and is closed when that is ordered instead")
  func paused() {
    var rig = Rig(AgentAbilities(onlyAccount: nil, canPause: true))
    rig.look([], at: 0)
    rig.order([game(closesAt: 10_000, step: .pause)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.tick(1_500)
    _ = rig.news()
    rig.tick(10_000)
    #expect(rig.news() == ["pause 5", "paused 5 kart", "ended 5 kart 9000"])
    rig.see(7, "/usr/games/kart", start: 9_990, at: 10_020)
    #expect(
      rig.news() == ["pause 7", "began 7 kart since 9990", "paused 7 kart", "ended 7 kart 30"],
      "It began while the other was not frozen.")
    rig.take(rig.machine.ended(Rig.process(7), at: .init(milliseconds: 10_030)))
    rig.see(5, "/usr/games/kart", start: 1_000, mapped: "/usr/games/track", at: 11_000)
    rig.tick(20_000)
    #expect(rig.news() == [] && rig.machine.paused == [Rig.process(5)])
    rig.see(6, "/usr/games/kart", start: 21_000, at: 21_000)
    #expect(rig.news() == ["kill 6", "killed 6 kart"], "What begins then has nothing to lose.")
    rig.take(rig.machine.ended(Rig.process(6), at: .init(milliseconds: 21_010)))
    rig.order([game(closesAt: 60_000, step: .pause)], number: 2, at: 30_000)
    #expect(rig.news() == ["resume 5", "inForce 2", "began 5 kart since 30000"])
    rig.tick(60_000)
    #expect(rig.news().contains("pause 5"))
    rig.order([game(closesAt: 60_000)], number: 3, at: 61_000)
    #expect(rig.news() == ["resume 5", "ask 5", "inForce 3", "asked 5 kart"], "What is frozen hears nothing.")
  }

  @Test("What leaves its group is killed, what cannot be paused is closed, and what no order names any more goes on")
  func unfrozen() {
    var rig = Rig(AgentAbilities(onlyAccount: nil, canPause: true))
    rig.look([], at: 0)
    rig.order([game(closesAt: 10_000, step: .pause)], at: 0)
    for pid in [5, 6, 7] as [Int32] { rig.see(pid, "/usr/games/kart", start: 1_000, at: 1_000) }
    rig.tick(10_000)
    _ = rig.news()
    rig.take(rig.machine.escaped(Rig.process(5), at: .init(milliseconds: 10_100)))
    #expect(rig.news() == ["kill 5", "killed 5 kart"])
    rig.take(rig.machine.couldNotPause(Rig.process(6), at: .init(milliseconds: 10_200)))
    #expect(rig.news() == ["ask 6", "asked 6 kart"])
    rig.tick(15_200)
    #expect(rig.news() == ["kill 5", "kill 6", "killed 6 kart"], "It is not tried again.")
    rig.order([], account: 1_001, number: 2, at: 16_000)
    #expect(rig.deeds == ["resume 7"])
  }

  @Test("What an earlier run of the agent froze stays so if it still has to, and goes on otherwise")
  func frozenBefore() {
    for closesAt in [10_000, 90_000] as [Int64] {
      var rig = Rig(AgentAbilities(onlyAccount: nil, canPause: true))
      rig.machine.found(frozen: [Rig.process(5), Rig.process(8)])
      rig.order([game(closesAt: closesAt, step: .pause)], at: 50_000)
      rig.see(5, "/usr/games/kart", start: 1_000, at: 50_100)
      rig.look([5], at: 50_100)
      rig.take(rig.machine.sawFrozen())
      let goesOn = closesAt == 90_000
      #expect(
        rig.news()
          == (goesOn ? ["resume 5", "resume 8", "inForce 1", "began 5 kart since 50100"] : ["resume 8", "inForce 1"]))
      #expect(rig.machine.paused.isEmpty == goesOn)
    }
  }

  @Test(
    "Sessions that may not be open are locked, then ended, unless something runs that is always allowed; log-ins are refused"
  )
  func sessions() {
    let terms = SessionTerms(
      closesAt: .init(milliseconds: 10_000), opensAt: .init(milliseconds: 40_000),
      warnings: [.init(milliseconds: 2_000), .init(milliseconds: 8_000)], reason: "bedtime until 07:00")
    var rig = Rig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    let digest = String(repeating: "a", count: 64)
    let matchers = [AppMatcher(kind: .path, value: "/usr/games/kart"), AppMatcher(kind: .sha256, value: digest)]
    rig.order([game(closesAt: 0, always: true, matchers: matchers)], sessions: terms, at: 0)
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
    for pid in [5, 6] as [Int32] { rig.take(rig.machine.ended(Rig.process(pid), at: .init(milliseconds: 16_000))) }
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

  @Test("A sleep cuts use, so that its time does not count")
  func slept() {
    var rig = Rig()
    rig.order([game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    _ = rig.news()
    rig.take(rig.machine.slept(60_000, at: .init(milliseconds: 100_000)))
    #expect(rig.news() == ["slept 60000", "ended 5 kart 39000", "began 5 kart since 100000"])
    rig.take(rig.machine.ended(Rig.process(5), at: .init(milliseconds: 101_000)))
    #expect(rig.news() == ["ended 5 kart 1000"])
  }

  @Test("A node that returns is told what it has not stored and what runs, each once")
  func returned() {
    var rig = Rig()
    rig.order([game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.see(6, "/usr/games/kart", start: 1_000, at: 1_000)
    for now in [6_000, 11_000, 16_000] as [Int64] { rig.tick(now) }
    rig.take(rig.machine.ended(Rig.process(6), at: .init(milliseconds: 17_000)))
    _ = rig.news()
    rig.take(rig.machine.connected(stored: 0, at: .init(milliseconds: 18_000)))
    #expect(
      rig.news() == [
        "inForce 1", "began 5 kart since 1000", "began 6 kart since 1000", "active 5 kart 15000", "active 6 kart 15000",
        "ended 6 kart 16000", "inForce 1",
      ], "Of each program's activity the last is kept.")
    let last = rig.machine.waitingReports.last?.number ?? 0
    rig.machine.stored(last)
    #expect(rig.machine.waitingReports.isEmpty)
    rig.take(rig.machine.connected(stored: last, at: .init(milliseconds: 19_000)))
    #expect(rig.news() == ["began 5 kart since 1000", "inForce 1"])
  }

  @Test("A node that is silent for long costs no memory without end, and hears how much it missed")
  func silent() {
    var rig = Rig()
    rig.order([game(closesAt: nil)], at: 0)
    for number in 1...6_000 as ClosedRange<Int32> {
      rig.see(number, "/usr/games/kart", start: Int64(number), at: Int64(number))
      _ = rig.machine.ended(Rig.process(number), at: .init(milliseconds: Int64(number) + 1))
    }
    #expect(rig.machine.waitingReports.count <= ReportLog.capacity)
    let dropped = rig.machine.waitingReports.compactMap { report -> UInt64? in
      if case .dropped(let count) = report.event { count } else { nil }
    }
    #expect(dropped.last.map { $0 + UInt64(rig.machine.waitingReports.count) >= 12_001 } == true, "\(dropped)")
    let numbers = rig.machine.waitingReports.map(\.number)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }

  @Test(
    "A process that the node names is closed with its application, after all matchers, and spares no unknown program")
  func named() {
    var rig = Rig()
    func tracked(_ closesAt: Int64?, _ pids: [Int32]) -> ProgramOrder {
      var order = game(closesAt: closesAt, matchers: [])
      order.processes = pids.map(Rig.process)
      return order
    }
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    rig.order([tracked(nil, [5])], at: 30)
    rig.look([], at: 30)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 40)
    rig.see(6, "/home/emma/game", start: 50, writable: true, at: 60)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10"], "Another process of the same program is none.")
    rig.order([tracked(100, [5])], number: 2, at: 100)
    #expect(rig.news() == ["ask 5", "inForce 2", "asked 5 kart"])
    // A child who calls an unknown program something harmless gains nothing.
    rig = Rig()
    rig.order([tracked(nil, [5])], unknown: ProgramTerms(closesAt: .init(milliseconds: 0), reason: "unknown"), at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["kill 5", "inForce 1", "killed 5 ?"])
    // Where unknown programs merely count, it is what the node records.
    rig = Rig()
    rig.order([tracked(nil, [5])], unknown: ProgramTerms(), at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    rig.see(6, "/home/emma/game", start: 30, writable: true, at: 40)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10", "began 6 ? since 30"])
    // Nor does it by calling an application another one.
    rig = Rig()
    var other = game(closesAt: nil, matchers: [])
    (other.app, other.processes) = (AppID("homework") ?? other.app, [Rig.process(5)])
    rig.order([other, game(closesAt: 0)], at: 0)
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    #expect(rig.news() == ["kill 5", "inForce 1", "killed 5 kart"])
    // The numbers of an earlier boot are others' now.
    rig = Rig()
    rig.order([tracked(0, [5])], boot: "earlier", at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1"])
  }

  @Test("New orders end the supervision of an account, and begin that of another")
  func changedAccounts() {
    var rig = Rig()
    rig.order([game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    rig.order([game(closesAt: 0)], account: 1_001, number: 2, at: 1_000)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10", "inForce 2", "ended 5 kart 990"])
    rig.see(5, "/usr/games/kart", start: 10, at: 1_100)
    #expect(rig.news() == [] && rig.machine.processes.isEmpty)
  }
}

extension AgentReport.Event {
  /// The event in few words.
  fileprivate var word: String {
    func name(_ use: ProgramUse) -> String { "\(use.process.processID) \(use.app?.text ?? "?")" }
    return switch self {
    case .began(let use, let since, _): "began \(name(use)) since \(since.milliseconds)"
    case .active(let use, let milliseconds, _): "active \(name(use)) \(milliseconds)"
    case .ended(let use, let milliseconds, _): "ended \(name(use)) \(milliseconds)"
    case .closed(let use, let deed, _): "\(deed) \(name(use))"
    case .warned(_, let app, let left): "warned \(app?.text ?? "?") \(left)"
    case .inForce(let orders): "inForce \(orders)"
    case .refused(_, let fault): "refused \(fault.kind)"
    case .rescanned: "rescanned"
    case .clockSet(let milliseconds): "clockSet \(milliseconds)"
    case .slept(let milliseconds): "slept \(milliseconds)"
    case .ordersDamaged: "ordersDamaged"
    case .dropped(let count): "dropped \(count)"
    case .sessionsWarned(let account, let left, _): "sessions warned \(account) \(left)"
    case .sessionsClosed(let account, let areEnded, _): "sessions \(areEnded ? "ended" : "locked") \(account)"
    case .logInRefused(let account, let reason): "refused \(account) \(reason)"
    case .letThrough(let count): "letThrough \(count)"
    }
  }
}
