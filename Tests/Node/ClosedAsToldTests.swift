import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What people are told of a program is what an agent does about it: Protocol/11-rules.md §5,
/// 13-agent.md §9.
///
/// Rules, programs and instants are drawn at random. The orders that follow from the rules are
/// given to the agent's machine, which sees the program, and the program's end is compared with
/// what `explain` and `today` say of it, and with the receipt of the rules.
@Suite struct ClosedAsToldTests {
  /// A program of the child's, and what people call it.
  private struct Program {
    var app: AppID
    var image: ProcessFacts.Image
    var flatpak: String?
    var isWritable = false
    var isFromTerminal = false
    /// A Boolean value that indicates whether a rule can name it.
    var isNamed = true
  }

  private static func app(_ text: String) -> AppID { AppID(text) ?? .otherPrograms }

  private static let programs: [Program] = [
    Program(app: app("game"), image: .init(path: "/usr/games/game", packages: ["game"])),
    Program(app: app("book"), image: .init(path: "/usr/bin/book")),
    Program(app: app("office"), image: .init(path: "/usr/lib/office/office.bin")),
    Program(app: app("tuxmath"), image: .init(path: "/usr/games/tuxmath", packages: ["tuxmath"])),
    Program(app: .unknownPrograms, image: .init(path: "/home/emma/tool"), isWritable: true, isNamed: false),
    Program(app: .otherPrograms, image: .init(path: "/usr/bin/vim.basic"), isFromTerminal: true, isNamed: false),
    Program(app: .otherPrograms, image: .init(path: "/app/bin/x"), flatpak: "org.example.X", isNamed: false),
    Program(app: .otherPrograms, image: .init(path: "/snap/kart/1/kart"), isNamed: false),
  ]

  private static let installed: [AppID: InstalledMatchers] = [
    app("game"): InstalledMatchers([
      AppMatcher(kind: .package, value: "game"), AppMatcher(kind: .path, value: "/usr/games/game"),
    ]),
    app("book"): InstalledMatchers([AppMatcher(kind: .path, value: "/usr/bin/book")]),
    app("office"): InstalledMatchers([AppMatcher(kind: .path, value: "/usr/lib/office/office.bin")]),
    app("tuxmath"): InstalledMatchers([AppMatcher(kind: .package, value: "tuxmath")]),
  ]

  private func rules(_ random: inout SeededRandom, _ child: ChildID) -> (rules: RuleSet, registers: [Register]) {
    let all: [(String, [String])] = [
      ("app/game/category", ["reward", "learning"]), ("app/game/limit", ["60", "none", "0"]),
      ("app/game/blocked", ["yes", "no"]),
      ("app/book/category", ["learning"]), ("app/book/allowed", ["yes"]), ("app/book/enabled", ["no", "yes"]),
      ("app/office/allowed", ["yes"]), ("category/neutral/limit", ["20", "0"]), ("category/reward/limit", ["45"]),
      ("limits/daily", ["0", "90", "1440"]), ("limits/weekly", ["500", "0"]), ("schedule/bedtime", ["20:00-07:00"]),
      ("schedule/school", ["mon-fri 08:00-13:00"]), ("schedule/rewardTimes", ["14:00-19:00"]), ("lock", ["off", "on"]),
      ("mode", ["limits", "points"]), ("unknownPrograms", ["count", "reward", "block"]),
      ("screenTime/learning", ["free"]),
    ]
    let registers = all.compactMap { key, values in
      random.once(in: 3)
        ? RegisterKey(key).map { Register(.child(child), $0, random.pick(values), modified: .never) } : nil
    }
    return (RuleSet.read(registers, child: child).rules, registers)
  }

  private func situation(_ rules: RuleSet, _ random: inout SeededRandom) -> Situation {
    let time = 1_795_446_000_000 + Int64(random.below(14 * 86_400)) * 1_000
    let day = rules.boundary.day(containing: time)
    var situation = Situation(boot: BootInstant(milliseconds: 1_000_000_000), time: time, day: day)
    var use = DayUse(screen: Int64(random.below(7_200_000)))
    for category in AppCategory.allCases { use.categories[category] = Int64(random.below(3_600_000)) }
    use.apps[Self.app("game")] = Int64(random.below(3_600_000))
    situation.use[day] = use
    situation.spendable = random.once(in: 2) ? 0 : 600_000
    return situation
  }

  /// Returns whether an agent closes a program that begins at an instant.
  private func closes(_ program: Program, _ orders: AccountOrders, isSystem: Bool, at now: BootInstant) -> Bool {
    var machine = AgentMachine(abilities: AgentAbilities(onlyAccount: isSystem ? nil : 1_000))
    _ = machine.received(
      AgentOrders(number: 1, boot: "b", at: now, accounts: [orders]), boot: "b", at: now, exists: { _ in true })
    let facts = ProcessFacts(
      identity: ProcessIdentity(processID: 5, startTime: 5), account: 1_000, startedAt: now, name: "x",
      images: [program.image], flatpak: program.flatpak, isFromWritablePlace: program.isWritable,
      isFromTerminal: program.isFromTerminal)
    return (machine.saw(facts, at: now) + machine.timerFired(at: now)).contains {
      switch $0 {
      case .ask, .kill, .pause: true
      default: false
      }
    }
  }

  @Test("What explain, today and the receipts say of a program is what the agent does", arguments: [true, false])
  func told(isSystem: Bool) throws {
    var random = SeededRandom()
    let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    let agent = AgentHello(
      run: 1, isSystem: isSystem, hasEvents: true, hasSessions: isSystem, hasInput: isSystem, user: 1_000, boot: "b",
      orders: nil)
    var (closed, open) = (0, 0)
    for _ in 0..<400 {
      let (rules, registers) = rules(&random, child)
      let situation = situation(rules, &random)
      let standing = ChildStanding(
        child: child, plan: DayPlan(rules, for: situation), situation: situation, running: [])
      let state = EnforcementState()
      state.connected(agent)
      let orders = OrdersBuilder(standing: standing, state: state, installed: Self.installed).orders(for: 1_000)
      let names = EditExceptions(
        registers, faults: [], orders: [orders], agent: agent, unrecognized: []
      ).names
      for program in Self.programs {
        let now = situation.boot
        let verdict = standing.shown(program.app).verdict
        let doesClose = closes(program, orders, isSystem: isSystem, at: now)
        let note =
          "\(random.note): \(program.app) \(program.image.path), \(verdict), \(registers.map { "\($0.key)=\($0.value ?? "")" })"
        // The agent of one user has orders for what a rule names, and for unknown programs that are
        // not merely counted.
        let isNamed = program.isNamed && (rules.apps[program.app] != nil || rules.categoryByDefault(program.app) != nil)
        let isOrdered = isSystem || isNamed || program.app == .unknownPrograms && rules.unknownPrograms != .count
        #expect(doesClose == (isOrdered && !verdict.isAllowed), "\(note)")
        if doesClose { closed += 1 } else { open += 1 }
        if !isOrdered, program.app != .unknownPrograms,
          ["lock", "bedtime", "dailyLimit", "weeklyLimit"].contains(verdict.rule)
        {
          #expect(verdict.isAllowed || names.contains("others-left-open"), "\(note)")
        }
        if isSystem { #expect(!names.contains("others-left-open")) }
        // What is open closes when it is said to, and not a moment before.
        guard isOrdered, verdict.isAllowed, let left = verdict.leftMilliseconds else { continue }
        #expect(closes(program, orders, isSystem: isSystem, at: now + left), "\(note)")
        if left > 1 { #expect(!closes(program, orders, isSystem: isSystem, at: now + (left - 1)), "\(note)") }
        let listed = standing.apps.first { $0.appID == program.app }
        #expect(listed == nil || listed?.verdict == verdict, "\(note)")
      }
    }
    #expect(closed > 100 && open > 100)
  }
}
