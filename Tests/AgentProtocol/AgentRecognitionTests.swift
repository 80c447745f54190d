import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what the agent takes a process for, and what follows: Protocol/13-agent.md §8.
@Suite struct AgentRecognitionTests {
  @Test("Of several applications that a child can pretend to run, the one that closes first counts")
  func pretended() {
    var rig = AgentRig()
    var allowed = AgentRig.game(closesAt: nil, matchers: [AppMatcher(kind: .argument, value: "*homework*")])
    allowed.app = AppID("a-course") ?? allowed.app
    allowed.category = .learning
    rig.order([allowed, AgentRig.game(closesAt: 500)], at: 1_000)
    let facts = ProcessFacts(
      identity: AgentRig.process(7), account: 1_000, startedAt: .init(milliseconds: 2_000), name: "x",
      arguments: "kart --name homework", images: [.init(path: "/usr/games/kart")])
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 2_000)))
    #expect(rig.deeds == ["kill 7"])
    // A copy of the program at that path, by its content.
    var copy = facts
    copy.identity = AgentRig.process(8)
    copy.images = [.init(path: "/home/emma/homework", copiedPaths: ["/usr/games/kart"])]
    rig.take(rig.machine.saw(copy, at: .init(milliseconds: 2_000)))
    #expect(rig.deeds == ["kill 7", "kill 8"])
    // One that hides what it runs behind more arguments than are looked at.
    rig.order(
      [allowed, AgentRig.game(closesAt: 500, matchers: [AppMatcher(kind: .argument, value: "craft.jar")])], at: 3_000)
    rig.deeds = []
    var padded = facts
    padded.identity = AgentRig.process(9)
    padded.images = [.init(path: "/usr/bin/java")]
    padded.arguments = "java homework"
    rig.take(rig.machine.saw(padded, at: .init(milliseconds: 3_000)))
    #expect(rig.deeds == [])
    padded.hasMoreArguments = true
    rig.take(rig.machine.saw(padded, at: .init(milliseconds: 3_000)))
    #expect(rig.deeds == ["kill 9"])
  }

  @Test(
    "What has to be known of processes follows from the kinds of matchers",
    arguments: [
      (AppMatcher.Kind.path, RecognitionNeeds()), (.name, RecognitionNeeds.arguments), (.package, RecognitionNeeds()),
      (.argument, RecognitionNeeds.arguments), (.flatpak, RecognitionNeeds.flatpaks),
      (.sha256, RecognitionNeeds.hashes),
    ])
  func needs(kind: AppMatcher.Kind, expected: RecognitionNeeds) {
    var rig = AgentRig()
    let value =
      switch kind {
      case .path: "/usr/games/kart"
      case .sha256: String(repeating: "a", count: 64)
      case .flatpak: "org.example.Kart"
      default: "kart"
      }
    rig.order([AgentRig.game(closesAt: 0, matchers: [AppMatcher(kind: kind, value: value)])], at: 0)
    #expect(rig.machine.needs(of: 1_000) == expected && rig.machine.needs(of: 1_001) == [])
    rig.order([AgentRig.game(closesAt: 0)], number: 2, at: 0)
    #expect(rig.machine.needs(of: 1_000) == [])
    rig.order([AgentRig.game(closesAt: 0)], unknown: ProgramTerms(), number: 3, at: 0)
    #expect(rig.machine.needs(of: 1_000) == [])
    let closed = ProgramTerms(closesAt: .init(milliseconds: 0), reason: "An unknown program: listed ones only")
    rig.order([AgentRig.game(closesAt: 0)], unknown: closed, number: 4, at: 0)
    #expect(rig.machine.needs(of: 1_000) == .ownHashes, "What is closed is reported by its content.")
  }

  @Test("Another program of the same file is another one, also where nothing else tells them apart")
  func sameFile() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil)], at: 0)
    var facts = ProcessFacts(
      identity: AgentRig.process(7), account: 1_000, startedAt: .init(milliseconds: 1_000), name: "java",
      images: [.init(path: "/usr/bin/java")], programPlace: [4_096, 8_192])
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 1_000)))
    facts.programPlace = [4_096, 12_288]
    rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20_000)))
    _ = rig.news()
    // Later orders name it: its use begins with that program, not with the one before.
    rig.order(
      [AgentRig.game(closesAt: nil, matchers: [AppMatcher(kind: .name, value: "java")])], number: 2, at: 30_000)
    #expect(rig.news().contains { $0.hasPrefix("began 7 kart since 20000") })
  }

  @Test("A blocked program is killed beside as many others as are followed at the same time")
  func manyOthers() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 0)], at: 1_000)
    for pid in 1...Int32(AgentMachine.capacity) { rig.see(pid, "/usr/bin/true", start: 2_000, at: 2_000) }
    let game = Int32(AgentMachine.capacity) + 1
    rig.see(game, "/usr/games/kart", start: 2_000, at: 2_000)
    #expect(rig.deeds == ["kill \(game)"])
    // What becomes the blocked program is killed as well, and the others are still there.
    rig.see(7, "/usr/games/kart", start: 2_000, at: 2_100)
    #expect(rig.deeds == ["kill \(game)", "kill 7"])
    #expect(rig.machine.processes.count == AgentMachine.capacity + 1)
    rig.look([7], at: 2_200)
    #expect(rig.machine.processes == [AgentRig.process(7)])
  }

  @Test("Unknown programs from places that the account can write to are closed if orders say so, others never")
  func unknown() {
    var rig = AgentRig()
    rig.order([], at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1"])
    let terms = ProgramTerms(closesAt: .init(milliseconds: 0), reason: "An unknown program: they are blocked")
    rig.order([], unknown: terms, number: 2, at: 30)
    let reasons = rig.reports.compactMap { if case .closed(_, _, let reason, _) = $0.event { reason } else { nil } }
    #expect(reasons == ["The unknown program “game”: they are blocked"])
    #expect(rig.news() == ["kill 5", "inForce 2", "killed 5 ?"])
    rig.see(6, "/usr/bin/vim", start: 40, at: 50)
    #expect(rig.news() == [])
  }

  @Test("An unknown program that no orders counted is in use from the orders on that do")
  func countedFromTheOrders() {
    var rig = AgentRig()
    rig.order([], at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1"])
    rig.order([], unknown: ProgramTerms(closesAt: .init(milliseconds: 60_000)), number: 2, at: 60_000)
    #expect(rig.news() == ["ask 5", "inForce 2", "began 5 ? since 60000", "asked 5 ?"])
  }

  @Test(
    "What a child can forge spares no unknown program that is closed; a path at its place, a strong matcher and what is the system's do",
    arguments: [
      (AppMatcher(kind: .name, value: "course"), false, true),
      (AppMatcher(kind: .argument, value: "*/course"), false, true),
      (AppMatcher(kind: .flatpak, value: "org.example.Course"), false, true),
      (AppMatcher(kind: .path, value: "/home/emma/course"), false, false),
      (AppMatcher(kind: .path, value: "/home/emma/course"), true, true),
      (AppMatcher(kind: .sha256, value: String(repeating: "a", count: 64)), false, false),
    ])
  func forged(matcher: AppMatcher, isHidden: Bool, isClosed: Bool) {
    let block = ProgramTerms(closesAt: .init(milliseconds: 0), reason: "An unknown program: they are blocked")
    func news(unknown: ProgramTerms?, isWritable: Bool) -> [String] {
      var rig = AgentRig()
      rig.order([AgentRig.game(closesAt: nil, matchers: [matcher])], unknown: unknown, at: 0)
      _ = rig.news()
      let image = ProcessFacts.Image(
        path: "/home/emma/course", sha256: String(repeating: "a", count: 64), isHidden: isHidden)
      let facts = ProcessFacts(
        identity: AgentRig.process(5), account: 1_000, startedAt: .init(milliseconds: 10), name: "course",
        arguments: "/usr/bin/course", images: [image], flatpak: "org.example.Course", isFromWritablePlace: true,
        hasWritableExecutable: isWritable)
      rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
      return rig.news()
    }
    let closed = ["kill 5", "killed 5 ?"]
    #expect(news(unknown: block, isWritable: true) == (isClosed ? closed : ["began 5 kart since 10"]))
    // What it has mapped is the account's. Arguments show nothing of that.
    #expect(
      news(unknown: block, isWritable: false) == (matcher.kind == .argument ? closed : ["began 5 kart since 10"]))
    #expect(news(unknown: ProgramTerms(), isWritable: true) == ["began 5 kart since 10"], "They merely count.")
    #expect(news(unknown: nil, isWritable: true) == ["began 5 kart since 10"])
  }

  @Test("On a disk of the child's own, a SHA-256 is a weak matcher: what was read may be something else by now")
  func foreignDisk() {
    var rig = AgentRig()
    let (learning, digest) = (AppMatcher(kind: .path, value: "/media/emma/kart"), String(repeating: "b", count: 64))
    rig.order(
      [
        AgentRig.game(closesAt: 0, matchers: [learning]),
        ProgramOrder(
          app: AppID("a")!, category: .learning, terms: ProgramTerms(),
          matchers: [AppMatcher(kind: .sha256, value: digest)]),
      ], at: 0)
    _ = rig.news()
    for (pid, isForeign) in [(Int32(5), true), (6, false)] {
      let image = ProcessFacts.Image(path: "/media/emma/kart", sha256: digest, isForeign: isForeign)
      let facts = ProcessFacts(
        identity: AgentRig.process(pid), account: 1_000, startedAt: .init(milliseconds: 10), name: "kart",
        images: [image],
        isFromWritablePlace: true)
      rig.take(rig.machine.saw(facts, at: .init(milliseconds: 20)))
    }
    #expect(rig.news() == ["kill 5", "killed 5 kart", "began 6 a since 10"])
  }

  @Test("Unknown programs that merely count take no room from applications, and one tells of all that they run")
  func manyUnknown() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 0)], unknown: ProgramTerms(), at: 0)
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
    var rig = AgentRig()
    rig.order(
      [AgentRig.game(closesAt: 0, matchers: [AppMatcher(kind: .sha256, value: digest)])], at: 0)
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
    rig.order(
      [AgentRig.game(closesAt: nil, matchers: [AppMatcher(kind: .sha256, value: digest)])], number: 2, at: 3_000)
    rig.see(5, "/home/emma/copy", start: 10, sha256: digest, at: 4_000)
    rig.see(5, "/bin/sh", start: 10, at: 5_000)
    #expect(rig.news() == ["inForce 2", "began 5 kart since 10", "ended 5 kart 4990"])
  }

  @Test(
    "A process that the node names is closed with its application, after all matchers, and spares no unknown program")
  func named() {
    var rig = AgentRig()
    func tracked(_ closesAt: Int64?, _ pids: [Int32]) -> ProgramOrder {
      var order = AgentRig.game(closesAt: closesAt, matchers: [])
      order.processes = pids.map(AgentRig.process)
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
    // The use of one that nothing closes is reported again and again, too.
    rig = AgentRig()
    var free = tracked(nil, [5])
    free.isAlwaysAllowed = true
    rig.order([free], at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    let heartbeat = BootInstant(milliseconds: 20 + AgentMachine.heartbeatMilliseconds)
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 20)) == heartbeat)
    // A child who calls an unknown program something harmless gains nothing.
    rig = AgentRig()
    rig.order([tracked(nil, [5])], unknown: ProgramTerms(closesAt: .init(milliseconds: 0), reason: "unknown"), at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["kill 5", "inForce 1", "killed 5 ?"])
    // Where unknown programs merely count, it is what the node records.
    rig = AgentRig()
    rig.order([tracked(nil, [5])], unknown: ProgramTerms(), at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    rig.see(6, "/home/emma/game", start: 30, writable: true, at: 40)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10", "began 6 ? since 30"])
    // Nor does it by calling an application another one.
    rig = AgentRig()
    var other = AgentRig.game(closesAt: nil, matchers: [])
    (other.app, other.processes) = (AppID("homework") ?? other.app, [AgentRig.process(5)])
    rig.order([other, AgentRig.game(closesAt: 0)], at: 0)
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    #expect(rig.news() == ["kill 5", "inForce 1", "killed 5 kart"])
    // The numbers of an earlier boot are others' now.
    rig = AgentRig()
    rig.order([tracked(0, [5])], boot: "earlier", at: 0)
    rig.see(5, "/home/emma/game", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1"])
  }

  @Test("The end of a process that the node names is told once to each node, also if it was no use or never seen")
  func namedEnds() {
    var rig = AgentRig()
    var order = AgentRig.game(closesAt: nil, matchers: [])
    order.processes = [5, 6].map(AgentRig.process)
    rig.order([order], at: 0)
    #expect(rig.machine.missing == [5, 6].map(AgentRig.process))
    rig.see(5, "/bin/sleep", start: 10, at: 20)
    rig.take(rig.machine.gone(AgentRig.process(5), at: .init(milliseconds: 30)))
    for _ in 0..<2 { rig.take(rig.machine.gone(AgentRig.process(6), at: .init(milliseconds: 40))) }
    rig.take(rig.machine.gone(AgentRig.process(7), at: .init(milliseconds: 40)))
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10", "ended 6 kart 0"])
    rig.take(rig.machine.ended(AgentRig.process(5), at: .init(milliseconds: 60)))
    #expect(rig.machine.missing.isEmpty)
    #expect(rig.news() == ["ended 5 kart 50"])
    rig.take(rig.machine.connected(stored: 4, at: .init(milliseconds: 70)))
    #expect(rig.machine.missing == [5, 6].map(AgentRig.process), "Another node is told again.")
    // One that is killed at once is no use, and its end is told.
    rig = AgentRig()
    order.terms.closesAt = .init(milliseconds: 0)
    rig.order([order], at: 10)
    rig.see(5, "/bin/sleep", start: 20, at: 30)
    rig.take(rig.machine.ended(AgentRig.process(5), at: .init(milliseconds: 40)))
    #expect(rig.news() == ["kill 5", "inForce 1", "killed 5 kart", "ended 5 kart 0"])
  }
}
