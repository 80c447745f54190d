import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what counts as what started it: Protocol/13-agent.md §8.
@Suite struct LineageTests {
  /// A machine with orders for a game, `kart`, and further ones.
  private static func rig(
    closesAt: Int64? = nil, always: Bool = false, counts: Bool = true, unknown: ProgramTerms? = nil,
    others: [ProgramOrder] = []
  ) -> AgentRig {
    var rig = AgentRig()
    var game = AgentRig.game(
      closesAt: closesAt, always: always,
      matchers: [
        AppMatcher(kind: .path, value: "/usr/games/kart"), AppMatcher(kind: .argument, value: "/opt/kart/start.sh"),
      ])
    game.countsLaunches = counts
    rig.order([game] + others, unknown: unknown, at: 0)
    _ = rig.news()
    return rig
  }

  private static func other(closesAt: Int64?, path: String = "/usr/bin/racer", app: String = "racer") -> ProgramOrder {
    var order = AgentRig.game(closesAt: closesAt, matchers: [AppMatcher(kind: .path, value: path)])
    order.app = AppID(app) ?? order.app
    return order
  }

  /// Looks twice at processes, after which what they have inherited is in use.
  private static func settle(_ rig: inout AgentRig, _ pids: [Int32], at now: Int64) {
    rig.look(pids, at: now)
    rig.look(pids, at: now + 5_000)
  }

  @Test("A program that goes on as another one stays what it was, as a weak match, and is closed")
  func exec() {
    var rig = Self.rig(closesAt: 60_000)
    rig.see(5, "/usr/bin/dash", start: 1_000, arguments: "/bin/sh /opt/kart/start.sh", at: 1_000)
    #expect(rig.news() == ["began 5 kart since 1000"])
    rig.see(5, "/opt/kart/data/kart.bin", start: 1_000, arguments: "/opt/kart/data/kart.bin", at: 2_000)
    #expect(rig.news() == [], "Its use goes on.")
    rig.tick(60_000)
    #expect(rig.news().prefix(2) == ["ask 5", "asked 5 kart"])
    // A program that something else recognizes is that alone.
    rig = Self.rig(closesAt: 500, others: [Self.other(closesAt: nil)])
    rig.machine.forked(6, of: 5)
    rig.see(5, "/usr/bin/dash", start: 1, arguments: "/bin/sh /opt/kart/start.sh", at: 10)
    rig.see(5, "/usr/bin/racer", start: 1, at: 20)
    #expect(rig.news() == ["began 5 kart since 1", "ended 5 kart 19", "began 5 racer since 1"])
  }

  @Test("What a program starts counts as it, also with a session of its own and without a parent")
  func children() {
    var rig = Self.rig()
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    // By the parent's number, where no events come.
    rig.see(6, "/opt/game.bin", start: 1_500, parent: 5, at: 1_600)
    // A shell passes on what it has inherited, and is nothing itself.
    rig.see(7, "/usr/bin/bash", start: 1_500, parent: 5, at: 1_600)
    rig.see(8, "/opt/engine.bin", start: 1_500, parent: 7, at: 1_600)
    // By the kernel's reports, where parents have ended before anything was looked at.
    rig.machine.forked(9, of: 5)
    rig.machine.forked(10, of: 9)
    rig.see(10, "/opt/helper.bin", start: 1_500, parent: 1, at: 1_600)
    rig.see(11, "/opt/stranger.bin", start: 1_500, parent: 1, at: 1_600)
    #expect(rig.news() == ["began 5 kart since 1000"], "What lives for a moment is not worth a report.")
    Self.settle(&rig, [5, 6, 7, 8, 10, 11], at: 5_000)
    let began = rig.news().filter { $0.hasPrefix("began") }
    #expect(began == [6, 8, 10].map { "began \($0) kart since 1500" })
    rig.order([AgentRig.game(closesAt: 12_000)], number: 2, at: 12_000)
    #expect(rig.deeds == [5, 6, 8, 10].map { "ask \($0)" })
  }

  @Test("What begins when its starter is closed already is killed at once, with events and without")
  func blocked() {
    var rig = Self.rig(closesAt: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.see(6, "/opt/game.bin", start: 1_001, parent: 5, at: 1_002)
    rig.machine.forked(7, of: 6)
    rig.see(7, "/opt/engine.bin", start: 1_002, parent: 1, at: 1_003)
    #expect(rig.deeds == ["kill 5", "kill 6", "kill 7"])
    #expect(!rig.reports.contains { if case .began = $0.event { true } else { false } })
  }

  @Test("What a parent has set apart passes on nothing, neither to what it starts nor to what it becomes")
  func apart() {
    var rig = Self.rig(closesAt: 0, counts: false)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.see(6, "/opt/game.bin", start: 1_001, parent: 5, at: 1_002)
    rig.machine.forked(7, of: 5)
    rig.see(7, "/opt/game.bin", start: 1_001, parent: 1, at: 1_002)
    rig.see(5, "/opt/game.bin", start: 1_000, at: 1_010)
    #expect(rig.deeds == ["kill 5"])
    #expect(!rig.machine.followsCopies, "The kernel's reports of copies would wake the agent for nothing.")
    rig = Self.rig()
    #expect(!rig.machine.followsCopies)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    #expect(rig.machine.followsCopies)
    rig.look([], at: 2_000)
    rig.look([], at: 3_000)
    #expect(!rig.machine.followsCopies)
  }

  @Test(
    "Terminals, editors, file managers, menus and browsers pass on nothing",
    arguments: [
      "/usr/bin/xterm", "/usr/bin/vim.basic", "/usr/bin/nautilus", "/usr/bin/rofi", "/usr/lib/firefox/firefox",
    ])
  func opening(path: String) {
    var rig = Self.rig(closesAt: 0, others: [Self.other(closesAt: 0, path: path, app: "opener")])
    rig.see(5, path, start: 1_000, at: 1_000)
    rig.see(6, "/opt/game.bin", start: 1_001, parent: 5, at: 1_002)
    #expect(rig.deeds == ["kill 5"])
    // Nor do they inherit anything.
    rig = Self.rig(closesAt: 0)
    rig.see(4, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.see(5, path, start: 1_000, parent: 4, at: 1_000)
    rig.see(6, "/opt/game.bin", start: 1_001, parent: 5, at: 1_002)
    #expect(rig.deeds == ["kill 4"])
    // Such a name of the child's own does not help.
    rig.see(7, path, start: 1_001, writable: true, parent: 4, at: 1_002)
    rig.see(8, "/opt/game.bin", start: 1_002, parent: 7, at: 1_002)
    rig.see(9, "/usr/bin/xterm", start: 1_001, parent: 4, hidden: true, at: 1_002)
    rig.see(10, "/opt/game.bin", start: 1_002, parent: 9, at: 1_002)
    #expect(rig.deeds.suffix(4) == [7, 8, 9, 10].map { "kill \($0)" })
  }

  @Test("What a desktop or accessibility needs inherits nothing, and passes on nothing")
  func desktop() {
    var rig = Self.rig(closesAt: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    for (pid, path) in [(6, "/usr/bin/dbus-daemon"), (7, "/usr/bin/onboard"), (8, "/usr/lib/systemd/systemd")]
      as [(Int32, String)]
    {
      rig.see(pid, path, start: 1_001, parent: 5, at: 1_002)
      rig.see(pid + 10, "/opt/game.bin", start: 1_002, parent: pid, at: 1_003)
    }
    rig.see(9, "/opt/needed", start: 1_001, isProtected: true, parent: 5, at: 1_002)
    rig.see(19, "/opt/game.bin", start: 1_002, parent: 9, at: 1_003)
    #expect(rig.deeds == ["kill 5"])
  }

  @Test("Nothing is spared by what started it: of two, what closes first counts")
  func stricter() {
    func deeds(_ closesAt: Int64?, always: Bool = false, unknown: Int64?, others: Int64? = nil) -> [String] {
      var others = others.map { Self.other(closesAt: $0, path: "/opt/game.bin", app: "latchkey.other") }
      others?.category = .neutral
      var rig = Self.rig(
        closesAt: closesAt, always: always, unknown: unknown.map { ProgramTerms(closesAt: .init(milliseconds: $0)) },
        others: others.map { [$0] } ?? [])
      rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
      rig.see(6, "/opt/game.bin", start: 1_001, writable: unknown != nil, parent: 5, at: 1_002)
      return rig.news().filter { $0.hasPrefix("kill") }
    }
    #expect(deeds(nil, unknown: 0) == ["kill 6", "killed 6 ?"])
    #expect(deeds(nil, always: true, unknown: 0) == ["kill 6", "killed 6 ?"])
    #expect(deeds(nil, unknown: nil, others: 0) == ["kill 6", "killed 6 latchkey.other"])
    #expect(deeds(0, unknown: 500) == ["kill 5", "kill 6", "killed 5 kart", "killed 6 kart"])
    #expect(deeds(nil, unknown: 90_000) == [])
  }

  @Test("What is always allowed includes what it starts, as far as root has installed that")
  func included() {
    func deeds(_ path: String, script: String? = nil, childsCode: Bool = false, counts: Bool = true) -> [String] {
      var others = Self.other(closesAt: 0, path: "/usr/bin/racer", app: "latchkey.other")
      others.category = .neutral
      var rig = Self.rig(closesAt: nil, always: true, counts: counts, others: [others])
      rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
      let facts = ProcessFacts(
        identity: AgentRig.process(6), parent: 5, account: 1_000, startedAt: .init(milliseconds: 1_001), name: "x",
        script: script, images: [.init(path: path)], hasChildsCode: childsCode)
      rig.take(rig.machine.saw(facts, at: .init(milliseconds: 1_002)))
      return rig.news().filter { $0.hasPrefix("killed") }
    }
    let closed = ["killed 6 latchkey.other"]
    #expect(deeds("/opt/kart/engine.bin") == [])
    #expect(deeds("/usr/bin/python3.11", script: "/usr/share/games/four/main.py") == [])
    #expect(deeds("/usr/bin/python3.11", script: "/home/emma/game.py") == closed)
    #expect(deeds("/usr/bin/python3.11") == closed)
    #expect(deeds("/opt/kart/engine.bin", childsCode: true) == closed)
    #expect(deeds("/opt/kart/engine.bin", counts: false) == closed)
    #expect(deeds("/usr/bin/racer") == closed, "It has an entry of its own.")
  }

  @Test("What a learning program starts is a weak match, which earns nothing")
  func learning() {
    var rig = AgentRig()
    rig.order(
      [
        AgentRig.game(
          closesAt: nil, category: .learning,
          matchers: [AppMatcher(kind: .sha256, value: String(repeating: "a", count: 64))])
      ], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, sha256: String(repeating: "a", count: 64), at: 1_000)
    rig.see(6, "/opt/helper.bin", start: 1_001, parent: 5, at: 1_002)
    Self.settle(&rig, [5, 6], at: 2_000)
    let uses = rig.reports.compactMap { if case .began(let use, _, _) = $0.event { use } else { nil } }
    #expect(uses.map(\.isWeak) == [false, true])
  }

  @Test("A parent that is recognized later passes on what it is to what it has started, and to nothing from before")
  func late() {
    var rig = Self.rig(others: [Self.other(closesAt: nil)])
    rig.see(5, "/opt/launcher", start: 1_000, at: 1_000)
    // Children may be looked at before their parents.
    rig.see(7, "/opt/engine.bin", start: 1_600, parent: 6, at: 1_600)
    rig.see(6, "/opt/game.bin", start: 1_500, parent: 5, at: 1_600)
    Self.settle(&rig, [5, 6, 7], at: 2_000)
    #expect(rig.news() == [])
    let launcher = AgentRig.game(closesAt: 8_000, matchers: [AppMatcher(kind: .path, value: "/opt/launcher")])
    rig.order([launcher], number: 2, at: 8_000)
    #expect(rig.deeds.sorted() == ["ask 5", "ask 6", "ask 7"])
    // A shell of a terminal becomes the game: what it had started before is nobody's.
    rig = Self.rig()
    rig.see(5, "/usr/bin/bash", start: 1_000, at: 1_000)
    rig.see(6, "/opt/before.bin", start: 1_100, parent: 5, at: 1_200)
    Self.settle(&rig, [5, 6], at: 2_000)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 10_000)
    rig.see(7, "/opt/after.bin", start: 10_100, parent: 5, at: 10_200)
    _ = rig.news()
    rig.order([AgentRig.game(closesAt: 11_000)], number: 2, at: 11_000)
    #expect(rig.deeds == ["ask 5", "ask 7"])
  }

  @Test("What an application starts by the thousands is not gone through each time, and takes no room")
  func thousands() {
    var rig = Self.rig(closesAt: 60_000, others: [Self.other(closesAt: 0)])
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    for pid in 10..<Int32(20_000) { rig.see(pid, "/opt/tool", start: 1_001, parent: 5, at: 1_002) }
    #expect(rig.machine.followed.ruled.count < 12_000 && rig.machine.followed.count < 20_000)
    _ = rig.news()
    rig.see(30_000, "/usr/bin/racer", start: 1_002, at: 1_003)
    #expect(rig.news().first == "kill 30000")
    // What is over a moment later is closed with the next look, at the latest.
    rig.look([5, 10], at: 5_000)
    rig.tick(60_000)
    rig.look([5, 10], at: 60_001)
    #expect(Set(rig.deeds) == ["ask 5", "ask 10"])
  }

  @Test("What has inherited is told to the agent's next run, which knows it without its parent")
  func restart() {
    var rig = Self.rig()
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    let before = rig.machine.inheritedChanges
    rig.see(6, "/opt/game.bin", start: 1_001, parent: 5, at: 1_002)
    #expect(rig.machine.inheritedChanges > before)
    let told = rig.machine.inherited
    #expect(told.keys.map(\.processID) == [6])
    var next = Self.rig(closesAt: 0)
    next.machine.found(inherited: told)
    next.see(6, "/opt/game.bin", start: 1_001, parent: 1, at: 9_000)
    next.see(7, "/opt/game.bin", start: 1_001, parent: 1, at: 9_000)
    #expect(next.deeds == ["kill 6"])
    next.look([], at: 9_100)
    #expect(next.machine.inherited.isEmpty)
  }

  @Test("What was started and is not looked at is forgotten, and so is a number that another process has")
  func forgotten() {
    var rig = Self.rig(closesAt: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.machine.forked(6, of: 5)
    rig.look([5], at: 6_000)
    rig.look([5], at: 11_000)
    rig.see(6, "/opt/game.bin", start: 11_500, parent: 1, at: 11_600)
    rig.machine.forked(7, of: 5)
    rig.machine.forked(7, of: 1)
    rig.see(7, "/opt/game.bin", start: 11_500, parent: 1, at: 11_600)
    rig.look([6, 7], at: 16_000)
    rig.see(8, "/opt/game.bin", start: 16_500, parent: 5, at: 16_600)
    #expect(rig.deeds == ["kill 5"])
    // Many are started, and only so many are remembered.
    rig.see(5, "/usr/games/kart", start: 17_000, at: 17_000)
    for child in 100..<Int32(110 + Lineages.capacity) { rig.machine.forked(child, of: 5) }
    rig.deeds = []
    rig.see(100, "/opt/game.bin", start: 17_001, parent: 1, at: 17_002)
    rig.see(Int32(109 + Lineages.capacity), "/opt/game.bin", start: 17_001, parent: 1, at: 17_002)
    #expect(rig.deeds == ["kill 100"])
  }

  @Test("A snap is recognized by its name, for good where its executable is there")
  func snap() {
    let snap = AgentRig.game(closesAt: nil, matchers: [AppMatcher(kind: .snap, value: "minetest")])
    var faults: [OrderFault] = []
    let table = MatchTable(AccountOrders(account: 1_000, programs: [snap]), faults: &faults)
    func match(_ images: [ProcessFacts.Image]) -> Bool? {
      table.match(
        ProcessFacts(
          identity: AgentRig.process(5), account: 1_000, startedAt: .init(milliseconds: 1), name: "x", images: images))?
        .isWeak
    }
    let path = "/snap/minetest/123/usr/bin/minetest"
    #expect(match([.init(path: path, snap: "minetest")]) == false)
    #expect(match([.init(path: path, snap: "minetest", isForeign: true)]) == true)
    #expect(match([.init(path: "/lib64/ld-linux-x86-64.so.2"), .init(path: path, snap: "minetest")]) == true)
    #expect(match([.init(path: path)]) == nil, "It is nothing without its place in the agent's view.")
  }
}
