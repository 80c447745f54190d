import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of the frames between a node and its agent: Protocol/13-agent.md §2 to §7.
@Suite struct AgentFrameTests {
  private func read(_ bytes: [UInt8]) throws -> AgentFrame? {
    var assembler = AgentFrameAssembler()
    assembler.append(bytes)
    return try assembler.next()
  }

  private func bytes(_ hexadecimal: String) throws -> [UInt8] {
    try #require(Hexadecimal.decode(hexadecimal))
  }

  @Test("Each frame of the vectors is written and read as the other implementation does")
  func vectors() throws {
    let vectors = try AgentVectors.load()
    var pairs: [(AgentFrame, String)] = vectors.hello.map { ($0.frame, $0.bytes) }
    pairs += vectors.welcome.map { (.welcome(NodeWelcome(run: $0.run, stored: $0.stored)), $0.bytes) }
    pairs += vectors.orders.map { (.orders($0.value), $0.bytes) }
    pairs += try vectors.reports.map { (.report(try #require($0.value)), $0.bytes) }
    pairs += vectors.stored.map { (.stored($0.number), $0.bytes) }
    #expect(pairs.count > 20)
    for (frame, expected) in pairs {
      #expect(Hexadecimal.encode(try frame.bytes()) == expected, "\(frame)")
      #expect(try read(try bytes(expected)) == frame)
    }
  }

  @Test("Frames that arrive byte by byte come out whole, and in their order")
  func dripped() throws {
    let vectors = try AgentVectors.load()
    let frames = vectors.orders.map { AgentFrame.orders($0.value) } + [.stored(7)]
    var assembler = AgentFrameAssembler()
    var found: [AgentFrame] = []
    for byte in try frames.flatMap({ try $0.bytes() }) {
      assembler.append([byte])
      while let frame = try assembler.next() { found.append(frame) }
    }
    #expect(found == frames)
  }

  @Test("Each fault of the vectors is found, as soon as the header shows it")
  func refused() throws {
    for refused in try AgentVectors.load().refused {
      let error = #expect(throws: AgentFrameError.self, "\(refused)") { _ = try read(try bytes(refused.bytes)) }
      let kind =
        switch error {
        case .foreign: "foreign"
        case .version: "version"
        case .kind: "kind"
        case .tooLong: "tooLong"
        case .short: "short"
        case .trailing: "trailing"
        case .value: "value"
        case .damaged: "damaged"
        case nil: "none"
        }
      #expect(kind == refused.why, "\(refused)")
      #expect(error?.description.contains(": ") == true, "Each fault says what to do.")
    }
  }

  @Test("An orders file is read back, and no changed, cut or lengthened one is")
  func file() throws {
    let vectors = try AgentVectors.load()
    let orders = vectors.orders[1].value
    let content = try OrdersFile.content(of: orders)
    #expect(Hexadecimal.encode(content) == vectors.file)
    #expect(try OrdersFile.read(content) == orders)
    for index in content.indices {
      var changed = content
      changed[index] ^= 0x10
      #expect(throws: AgentFrameError.self) { _ = try OrdersFile.read(changed) }
      #expect(throws: AgentFrameError.self) { _ = try OrdersFile.read(Array(content[..<index])) }
    }
    #expect(throws: AgentFrameError.self) { _ = try OrdersFile.read(content + [0]) }
  }

  @Test("A file of what processes have inherited is read back; a changed one, or one of another boot, holds nothing")
  func lineage() throws {
    let example = try AgentVectors.load().lineage
    let content = LineageFile.content(of: example.value, boot: example.boot)
    #expect(Hexadecimal.encode(content) == example.bytes)
    #expect(LineageFile.read(content, boot: example.boot) == example.value)
    #expect(LineageFile.read(content, boot: "another").isEmpty)
    #expect(LineageFile.read(content + [0], boot: example.boot).isEmpty)
    for index in content.indices {
      var changed = content
      changed[index] ^= 0x10
      #expect(LineageFile.read(changed, boot: example.boot).isEmpty)
      #expect(LineageFile.read(Array(content[..<index]), boot: example.boot).isEmpty)
    }
    let many = Dictionary(
      uniqueKeysWithValues: (1...5_000).map { (AgentRig.process(Int32($0)), AgentRig.game(closesAt: nil).app) })
    let kept = LineageFile.read(LineageFile.content(of: many, boot: "b"), boot: "b")
    #expect(kept.count == LineageFile.capacity && kept[AgentRig.process(1)] != nil)
  }

  @Test("Orders that are larger than their bound are not written, and say so")
  func tooLarge() throws {
    let matchers = (0..<64).map { AppMatcher(kind: .path, value: "/" + String(repeating: "x", count: 1_000) + "\($0)") }
    let programs = try (0..<20).map {
      ProgramOrder(
        app: try #require(AppID("app\($0 + 10)")), category: .reward, terms: ProgramTerms(), matchers: matchers)
    }
    let orders = AgentOrders(
      number: 1, boot: "b", at: BootInstant(milliseconds: 0),
      accounts: [AccountOrders(account: 1_000, programs: programs)])
    let error = #expect(throws: AgentFrameError.self) { _ = try AgentFrame.orders(orders).bytes() }
    #expect(error?.description.contains("fewer applications") == true)
  }

  @Test("Processes are recognized as the other implementation recognizes them")
  func recognition() throws {
    let vectors = try AgentVectors.load()
    var faults: [OrderFault] = []
    let table = MatchTable(
      AccountOrders(account: 1_000, programs: vectors.programs.map(\.value)), faults: &faults)
    #expect(faults.isEmpty)
    for example in vectors.recognition {
      let match = table.match(example.process.facts)
      #expect(match?.app == example.is?.app && match?.isWeak == example.is?.isWeak, "\(example)")
    }
    for example in vectors.patterns {
      let pattern = try #require(ArgumentPattern(example.pattern))
      #expect(pattern.matches(example.arguments) == example.matches, "\(example)")
    }
  }

  @Test(
    "A matcher that would match everything, a needed program, or that is none of its kind is named",
    arguments: [
      (.path, "/", OrderFault.Kind.matchesEverything), (.path, "/*", .matchesEverything),
      (.path, "games/x", .badMatcher), (.path, "/usr/games/", .badMatcher), (.path, "/usr/*/x", .badMatcher),
      (.path, "/usr/bin/gnome-shell", .neededProgram), (.path, "/sbin/init", .neededProgram),
      (.path, "/usr/lib/systemd/systemd-logind", .neededProgram), (.path, "/usr/lib/xorg/Xorg", .neededProgram),
      (.path, "/opt/latchkey/latchkey-agent", .neededProgram), (.path, "/usr/games/kart", nil),
      (.name, "*", .matchesEverything), (.name, "latchkey", .neededProgram), (.name, "a/b", .badMatcher),
      (.name, "kart", nil), (.argument, "*", .matchesEverything), (.argument, "a*b / c", .matchesEverything),
      (.argument, "/usr/bin/", .matchesEverything), (.argument, "/usr/* /home/*", .matchesEverything),
      (.argument, "/usr/games/kart", nil), (.argument, "bash /home/emma/game", nil),
      (.path, "/usr/bin/dash", .neededProgram), (.name, "sh", .neededProgram), (.path, "/usr/bin/fish", nil),
      (.argument, "/usr/bin/gnome-shell*", .neededProgram), (.argument, "java -jar craft.jar", nil),
      (.sha256, String(repeating: "0", count: 63), .badMatcher),
      (.sha256, String(repeating: "A", count: 64), .badMatcher),
      (.sha256, String(repeating: "a", count: 64), nil), (.package, "systemd", .neededProgram),
      (.package, "Bad Name", .badMatcher), (.package, "supertuxkart", nil), (.flatpak, "plain", .badMatcher),
      (.flatpak, "org.gnome.Chess", nil), (.flatpak, "org.gnome.*", .badMatcher), (.flatpak, "..", .badMatcher),
      (.path, "/usr//games/kart", .badMatcher), (.path, "/usr/games/../bin/x", .badMatcher),
      (.path, "/usr/games/kart ", .badMatcher), (.path, "/usr/games/my kart", nil),
      (.name, "kart*", .badMatcher), (.name, " kart", .badMatcher), (.name, "Hyprland", .neededProgram),
      (.argument, "bash", .neededProgram), (.argument, "*/systemd/systemd --user", .neededProgram),
      (.argument, "*cron*", .neededProgram), (.argument, "slime", nil), (.argument, "river raid", nil),
      (.snap, "minetest", nil), (.snap, "minetest_two", nil), (.snap, "0-ad", nil), (.snap, "core22", .neededProgram),
      (.snap, "snapd", .neededProgram), (.snap, "Minetest", .badMatcher), (.snap, "a/b", .badMatcher),
      (.snap, "12", .badMatcher), (.snap, "", .badMatcher),
    ] as [(AppMatcher.Kind, String, OrderFault.Kind?)])
  func matchers(kind: AppMatcher.Kind, value: String, expected: OrderFault.Kind?) {
    #expect(MatcherCheck.fault(of: AppMatcher(kind: kind, value: value)) == expected)
  }

  @Test("Each fault of orders is a sentence with a next step", arguments: OrderFault.Kind.allCases)
  func sentences(kind: OrderFault.Kind) {
    let sentence = OrderFault(kind, account: 1_000, app: AppID("kart"), detail: "x").sentence
    #expect(sentence.contains(": ") && sentence.hasSuffix("."), "\(sentence)")
  }
}
