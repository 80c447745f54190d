import LatchkeyModel

@testable import LatchkeyAgentProtocol

/// A machine with what it did.
struct AgentRig {
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
    screen: ScreenTerms = ScreenTerms(), number: UInt64 = 1, boot: String = AgentRig.boot, madeAt: Int64 = 0,
    at now: Int64,
    here: (AppMatcher) -> OrderFault.Kind? = { _ in nil }
  ) {
    let orders = AgentOrders(
      number: number, boot: boot, at: .init(milliseconds: madeAt),
      accounts: [
        AccountOrders(account: account, screen: screen, sessions: sessions, unknown: unknown, programs: programs)
      ])
    take(machine.received(orders, boot: AgentRig.boot, at: .init(milliseconds: now), here: here) { $0.account < 2_000 })
  }

  mutating func see(
    _ pid: Int32, _ path: String, start: Int64, account: UInt32 = 1_000, writable: Bool = false,
    isProtected: Bool = false, sha256: String? = nil, mapped: String? = nil, parent: Int32 = 0, hidden: Bool = false,
    arguments: String = "", at now: Int64
  ) {
    let facts = ProcessFacts(
      identity: AgentRig.process(pid), parent: parent, account: account, startedAt: .init(milliseconds: start),
      name: "x",
      arguments: arguments,
      images: [.init(path: path, sha256: sha256, isHidden: hidden)] + (mapped.map { [.init(path: $0)] } ?? []),
      isFromWritablePlace: writable, isProtected: isProtected)
    take(machine.saw(facts, at: .init(milliseconds: now)))
  }

  mutating func look(_ pids: [Int32], at now: Int64) {
    take(machine.looked(present: Set(pids.map(AgentRig.process)), at: .init(milliseconds: now)))
  }

  mutating func logIn(_ account: UInt32, at now: Int64) -> GateAnswer {
    let (answer, effects) = machine.mayLogIn(account, at: .init(milliseconds: now))
    take(effects)
    return answer
  }

  mutating func tick(_ now: Int64) { take(machine.timerFired(at: .init(milliseconds: now))) }

  static func process(_ pid: Int32) -> ProcessIdentity { ProcessIdentity(processID: pid, startTime: UInt64(pid)) }

  /// Returns a game, which a path recognizes unless `matchers` do.
  static func game(
    closesAt: Int64?, warnings: [Int64] = [], step: ProgramTerms.Step = .close, always: Bool = false,
    category: AppCategory = .reward, matchers: [AppMatcher] = [AppMatcher(kind: .path, value: "/usr/games/kart")]
  ) -> ProgramOrder {
    ProgramOrder(
      app: AppID("kart") ?? AppID("x")!, category: category, isAlwaysAllowed: always,
      terms: ProgramTerms(
        closesAt: closesAt.map { .init(milliseconds: $0) }, step: step,
        warnings: warnings.map { .init(milliseconds: $0) }, reason: "a limit"), matchers: matchers)
  }
}

extension AgentReport.Event {
  /// The event in few words.
  var word: String {
    func name(_ use: ProgramUse) -> String { "\(use.process.processID) \(use.app?.text ?? "?")" }
    return switch self {
    case .began(let use, let since, _): "began \(name(use)) since \(since.milliseconds)"
    case .active(let use, let milliseconds, _): "active \(name(use)) \(milliseconds)"
    case .ended(let use, let milliseconds, _): "ended \(name(use)) \(milliseconds)"
    case .closed(let use, let deed, _, _): "\(deed) \(name(use))"
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
    case .senses(let hasSessions, let hasInput): "senses \(hasSessions) \(hasInput)"
    case .unreadable(let account, let count): "unreadable \(account) \(count)"
    case .screenTime(let account, let milliseconds): "screen \(account) \(milliseconds)"
    }
  }
}
