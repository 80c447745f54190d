import LatchkeyAgentProtocol
import LatchkeyModel

/// Frames between a node and its agent, and an orders file.
///
/// A machine carries out whatever is read.
enum AgentTarget {
  static func seeds() -> [[UInt8]] {
    let instant = BootInstant(milliseconds: 5_000)
    let use = ProgramUse(
      account: 1_000, app: AppID("kart"), isWeak: false, process: ProcessIdentity(processID: 5, startTime: 6))
    let events: [AgentReport.Event] = [
      .began(use, since: instant, activity: 1), .active(use, milliseconds: 7, activity: 5),
      .ended(use, milliseconds: 8, activity: 6),
      .closed(use, .killed, reason: "a limit", matchers: [AppMatcher(kind: .path, value: "/home/emma/kart")]),
      .warned(account: 1_000, app: nil, left: 60_000), .inForce(orders: 9),
      .refused(orders: 9, OrderFault(.badMatcher, account: 1_000, app: AppID("kart"), detail: "x")), .rescanned,
      .clockSet(milliseconds: -5), .slept(milliseconds: 5), .ordersDamaged(hasOlder: true), .dropped(count: 4),
      .sessionsClosed(account: 1_000, areEnded: true, reason: "bedtime"),
      .logInRefused(account: 1_000, reason: "bedtime"),
      .letThrough(count: 2), .senses(hasSessions: true, hasInput: false),
      .unreadable(account: 1_000, count: 2),
    ]
    let frames: [AgentFrame] = [
      .hello(
        AgentHello(run: 1, isSystem: false, hasEvents: true, hasSessions: true, user: 1_000, boot: "boot", orders: 3)),
      .welcome(NodeWelcome(run: 1, stored: 2)), .orders(orders), .stored(4),
    ]
    let reports = events.enumerated().map {
      AgentFrame.report(AgentReport(number: UInt64($0.offset), at: instant, event: $0.element))
    }
    let whole = (frames + reports).compactMap { try? $0.bytes() }
    let gate = [
      GateQuestion(account: 1_000).bytes, GateAnswer(isAllowed: true).bytes,
      GateAnswer(isAllowed: false, reason: "bedtime").bytes,
    ]
    return (whole + gate).map { [0] + $0 } + [[0] + whole.flatMap { $0 }] + [
      (try? OrdersFile.content(of: orders)).map { [1] + $0 } ?? []
    ]
  }

  private static var orders: AgentOrders {
    let terms = ProgramTerms(
      closesAt: BootInstant(milliseconds: 9_000), warnings: [BootInstant(milliseconds: 8_000)], reason: "a limit")
    let sessions = SessionTerms(
      closesAt: BootInstant(milliseconds: 9_000), opensAt: BootInstant(milliseconds: 90_000),
      warnings: [BootInstant(milliseconds: 8_000)], reason: "bedtime")
    let program = ProgramOrder(
      app: AppID("kart") ?? AppID("x")!, category: .reward, terms: terms,
      matchers: [AppMatcher(kind: .path, value: "/usr/games/kart"), AppMatcher(kind: .argument, value: "kart*.jar")],
      processes: [ProcessIdentity(processID: 7, startTime: 9)])
    return AgentOrders(
      number: 3, boot: "boot", at: BootInstant(milliseconds: 4_000),
      accounts: [AccountOrders(account: 1_000, sessions: sessions, unknown: terms, programs: [program])])
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    if script.bool() {
      let content = script.remainder()
      if let orders = try? OrdersFile.read(content) {
        try require((try? OrdersFile.content(of: orders)) == content, "a file was read that is written otherwise")
      }
      return
    }
    let bytes = script.remainder()
    if let question = GateQuestion(bytes: bytes) {
      try require(question.bytes == bytes, "\(question) is written otherwise")
    }
    if let answer = GateAnswer(bytes: bytes) { try require(answer.bytes == bytes, "\(answer) is written otherwise") }
    var (assembler, dripped) = (AgentFrameAssembler(), AgentFrameAssembler())
    assembler.append(bytes)
    var read = 0
    var fault: AgentFrameError?
    var machine = AgentMachine(
      abilities: AgentAbilities(onlyAccount: nil, canPause: true, canCloseSessions: true, nodeAccount: 7))
    do {
      while let frame = try assembler.next() {
        let written = try frame.bytes()
        try require(
          Array(bytes[read..<min(bytes.count, read + written.count)]) == written, "\(frame) is written otherwise")
        dripped.append(written)
        let again = try dripped.next()
        try require(again == frame, "\(frame) was read, and then \(String(describing: again))")
        read += written.count
        if case .orders(let orders) = frame { try carryOut(orders, &machine) }
      }
    } catch let error as FuzzFault { throw error } catch { fault = error as? AgentFrameError }
    try require(fault != nil || bytes.count - read < 8 + AgentOrders.maximumBytes, "\(bytes.count - read) bytes wait")
  }

  /// Carries out orders on the processes that they name, and on one that they do not name.
  private static func carryOut(_ orders: AgentOrders, _ machine: inout AgentMachine) throws(FuzzFault) {
    var effects = machine.received(orders, boot: "boot", at: BootInstant(milliseconds: 5_000)) { $0.account != 7 }
    let stranger = ProcessIdentity(processID: 1, startTime: 1)
    for (index, account) in orders.accounts.prefix(8).enumerated() {
      let paths = account.programs.prefix(8).flatMap { $0.matchers.prefix(8).map(\.value) }
      let facts = ProcessFacts(
        identity: ProcessIdentity(processID: Int32(index + 2), startTime: 2), account: account.account,
        startedAt: BootInstant(milliseconds: 4_000), name: "x", arguments: paths.joined(separator: " "),
        images: paths.map { ProcessFacts.Image(path: $0) } + [ProcessFacts.Image(path: "/x")], isFromWritablePlace: true
      )
      effects += machine.saw(facts, at: BootInstant(milliseconds: 5_001))
    }
    let other = orders.accounts.map(\.account).max().map { $0 == .max ? 0 : $0 + 1 } ?? 1
    if !orders.accounts.contains(where: { $0.account == other }) {
      effects += machine.saw(
        ProcessFacts(
          identity: stranger, account: other, startedAt: BootInstant(milliseconds: 4_000), name: "x",
          images: [ProcessFacts.Image(path: "/usr/games/kart")], isFromWritablePlace: true),
        at: BootInstant(milliseconds: 5_001))
    }
    for presence in [AgentPresence(accounts: [1_000], input: .last(BootInstant(milliseconds: 5_000))), AgentPresence()]
    {
      effects += machine.sensed(presence, at: BootInstant(milliseconds: 5_002))
    }
    effects += machine.timerFired(at: BootInstant(milliseconds: HybridTimestamp.wallLimit))
    for effect in effects {
      switch effect {
      case .ask(stranger), .kill(stranger), .pause(stranger), .resume(stranger):
        throw FuzzFault("a program of another account was closed")
      case .tell(let report):
        let bytes = try? AgentFrame.report(report).bytes()
        try require(bytes != nil, "\(report) cannot be written")
      case .lockSessions(let account), .endSessions(let account):
        try require(orders.accounts.contains { $0.account == account && $0.sessions != nil }, "sessions of \(account)")
      case .ask, .kill, .pause, .resume: continue
      }
    }
  }
}
