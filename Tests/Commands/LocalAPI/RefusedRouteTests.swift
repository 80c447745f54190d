import LatchkeyAgentProtocol
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// Tests of what a child's machine keeps of refused programs, and how the local API lists them.
@Suite struct RefusedRouteTests {
  private static let account: UInt32 = 4_000
  private static let chess = SampleValues.app("org.gnome.Chess")
  private static let root = Caller(principal: .root, userID: 0)

  private static func use(_ app: AppID?, _ account: UInt32 = account) -> ProgramUse {
    ProgramUse(account: account, app: app, isWeak: true, process: ProcessIdentity(processID: 7, startTime: 8))
  }

  private static func path(_ path: String) -> AppMatcher { AppMatcher(kind: .path, value: path) }

  @Test("A child is told of an unknown program that was closed until a parent lists it")
  func toldUntilListed() async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      let (context, emma) = (home.service.context, home.children[0])
      let service = RefusedProgramService(context: context, directory: home.service.directory)
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      func set(_ key: RegisterKey, _ value: String) async throws {
        try await home.save([Register(.child(emma), key, value, modified: modified)])
      }
      try await home.save([
        Register(.machine(context.own), HouseholdKey.account(Self.account), emma.description, modified: modified)
      ])
      let sentence: Phrase = "An unknown program was closed: it is not listed."
      func isTold() async throws -> Bool {
        // A call reads the household once.
        let node = home.node(Caller(principal: .child, userID: Self.account))
        return try await node.ask(Endpoints.getOwnToday).notices.contains(sentence)
      }
      context.notices.post(.closed, key: ChildNotice.unknownKey, sentence, to: .child(emma), at: context.now())
      #expect(try await !isTold(), "Nothing closes unknown programs.")
      try await set("programs", "listed")
      try await service.note(Self.use(nil), [Self.path("/home/emma/game")], at: context.now())
      #expect(try await isTold())
      try await set("app/fun/matchers", "path /home/emma/game")
      #expect(try await isTold(), "A matcher alone lists nothing.")
      try await set("app/fun/category", "neutral")
      #expect(try await !isTold())
      try await set("unknownPrograms", "block")
      #expect(try await isTold())
    }
  }

  @Test("What is refused as unlisted is kept and listed, with a command's words, until a parent lists it")
  func listed() async throws {
    try await HomeNode.with(children: ["Emma", "Tom"]) { home in
      let (context, emma) = (home.service.context, home.children[0])
      let service = RefusedProgramService(context: context, directory: home.service.directory)
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      func set(_ key: RegisterKey, _ value: String) async throws {
        try await home.save([Register(.child(emma), key, value, modified: modified)])
      }
      try await home.save([
        Register(.machine(context.own), HouseholdKey.account(Self.account), emma.description, modified: modified)
      ])
      let matchers = [
        Self.chess: InstalledMatchers([AppMatcher(kind: .package, value: "gnome-chess"), Self.path("/usr/games/chess")]
        ),
        SampleValues.app("own"): InstalledMatchers([Self.path("/home/emma/other")], isOwn: true),
      ]
      let list = EntryList([InstalledApp(appID: Self.chess, name: "Chess")])
      _ = try await context.store.setInstalled(list, matchers: matchers, at: 8)

      // Without the rule, nothing is refused for its sake.
      try await service.note(Self.use(nil), [Self.path("/home/emma/early")], at: context.now())
      try await service.look()
      #expect(try await context.store.refusedPrograms().isEmpty)
      #expect(try await context.store.inventory(RefusedProgram.self, of: context.own) == nil)

      try await set("programs", "listed")
      let office = [Self.path("/usr/games/chess-helper"), AppMatcher(kind: .package, value: "gnome-chess")]
      try await service.note(Self.use(.otherPrograms), office, at: context.now())
      for _ in 0..<2 { try await service.note(Self.use(nil), [Self.path("/home/emma/game")], at: context.now()) }
      try await service.note(Self.use(.otherPrograms), [Self.path("/opt/kart/kart")], at: context.now())
      // A blocked application, an account that is no child's, and what nothing recognizes alone.
      try await service.note(Self.use(SampleValues.app("game")), [], at: context.now())
      try await service.note(Self.use(nil, 4_001), [Self.path("/home/guest/game")], at: context.now())
      try await service.note(Self.use(.otherPrograms), [], at: context.now())
      let kept = try await context.store.refusedPrograms()
      #expect(kept.map(\.name) == ["kart", "game", "Chess"])
      #expect(
        kept.map(\.target) == [
          .matcher(Self.path("/opt/kart/kart")), .matcher(Self.path("/home/emma/game")), .app(Self.chess),
        ])
      try await service.look()
      #expect(try await context.store.inventory(RefusedProgram.self, of: context.own)?.entries == kept)

      let node = home.node(Self.root)
      let listed = try await node.ask(Endpoints.getRefused, "Emma")
      let ids = listed.map(\.appID.text)
      #expect(ids[0].wholeMatch(of: /kart-[0-9a-f]{8}/) != nil && ids[1].wholeMatch(of: /game-[0-9a-f]{8}/) != nil)
      #expect(ids[2] == "org.gnome.Chess")
      #expect(listed.map(\.isNew) == [true, true, false] && listed.allSatisfy(\.isRefusedNow))
      #expect(listed.map(\.matcher) == ["path /opt/kart/kart", "path /home/emma/game", nil])
      // An application with rules is called “game”, so that the file is known by its ID.
      #expect(listed.map(\.displayName) == ["kart", ids[1], "Chess"])
      #expect(listed.map(\.newName) == ["kart", nil, nil])
      // Whatever the child puts at its place would be allowed.
      #expect(
        listed.map(\.file) == [nil, "/home/emma/game", nil] && listed.map(\.isReplaceable) == [false, true, false])
      #expect(try await node.ask(Endpoints.getRefused, "Tom").isEmpty)

      try await set("app/org.gnome.Chess/category", "neutral")
      // Each request reads the rules anew.
      let left = try await home.node(Self.root).ask(Endpoints.getRefused, nil)
      #expect(left.map(\.displayName) == ["kart", ids[1]])
      try await service.look()
      #expect(try await context.store.refusedPrograms().map(\.name) == ["kart", "game"])
      try await home.save([
        Register(
          .child(emma), "programs", "all",
          modified: HybridTimestamp(
            wall: modified.wall, counter: 2, author: modified.author))
      ])
      // A parent can still list what was closed.
      try await service.look()
      #expect(try await context.store.refusedPrograms().map(\.name) == ["kart", "game"])
      let open = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      #expect(open.map(\.displayName) == ["kart", ids[1]] && open.allSatisfy { !$0.isRefusedNow })
      try await set("removed", "yes")
      try await service.look()
      #expect(try await context.store.refusedPrograms().isEmpty)
      #expect(try await context.store.inventory(RefusedProgram.self, of: context.own)?.entries.isEmpty == true)
    }
  }

  @Test("A file that a parent has allowed is explained by its name at once, before a machine tells it as installed")
  func explained() async throws {
    try await HomeNode.with(children: ["Emma"]) { home in
      let (context, emma) = (home.service.context, home.children[0])
      let service = RefusedProgramService(context: context, directory: home.service.directory)
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      let content = AppMatcher(kind: .sha256, value: String(repeating: "0a", count: 32))
      try await home.save([
        Register(.machine(context.own), HouseholdKey.account(Self.account), emma.description, modified: modified),
        Register(.child(emma), "programs", "listed", modified: modified),
      ])
      try await service.note(Self.use(nil), [content, Self.path("/home/emma/zirp")], at: context.now())
      try await service.look()
      func explained(_ name: String) async throws -> ChildExplanation {
        try await home.node(Self.root).ask(Endpoints.getExplanation, ("Emma", name, nil))
      }
      #expect(try await explained("zirp").app.appID == .otherPrograms, "Nothing is known by that name.")
      let refused = try #require(try await home.node(Self.root).ask(Endpoints.getRefused, "Emma").first)
      try await home.save([
        Register(
          .child(emma), try #require(AppRule.category.key(of: refused.appID).registerKey), "neutral", modified: modified
        ),
        Register(
          .child(emma), try #require(AppRule.matchers.key(of: refused.appID).registerKey), content.text,
          modified: modified),
      ])
      for name in ["zirp", "Zirp", refused.appID.text] {
        let found = try await explained(name)
        #expect(found.app.appID == refused.appID && found.app.verdict.isAllowed, "\(name): \(found)")
      }
    }
  }

  @Test("An interpreter, a shell or the loader as a whole is listed, and said to run whatever it is given")
  func interpreters() async throws {
    try await withTwo { home, service in
      let now = home.service.context.now()
      let told: [(String, Bool, Bool)] = [
        ("path /usr/bin/python3.11", true, true), ("path /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", true, true),
        ("path /usr/bin/zsh", true, true), ("path /usr/bin/env", true, true), ("snap node", true, true),
        ("path /usr/bin/mawk", true, false), ("path /usr/games/dosbox", true, false),
        ("argument /home/emma/python3", false, false), ("path /opt/kart/kart", false, false),
      ]
      for (text, _, _) in told {
        try await service.note(Self.use(.otherPrograms), [#require(AppMatcher(text: text))], at: now)
      }
      try await service.look()
      let listed = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      for (text, isInterpreter, showsScript) in told {
        let program = try #require(listed.first { $0.matcher == text })
        #expect(program.isInterpreter == isInterpreter && program.showsScript == showsScript, "\(program)")
        #expect(program.isAllowable != isInterpreter)
      }
    }
  }

  /// Calls `body` with a machine that Emma and Tom use, each in an account of its own, and on which
  /// only listed applications may run.
  private func withTwo(_ body: (HomeNode, RefusedProgramService) async throws -> Void) async throws {
    try await HomeNode.with(children: ["Emma", "Tom"]) { home in
      let context = home.service.context
      let modified = HybridTimestamp(wall: context.wall(), counter: 1, author: SampleValues.parentID)
      for (child, account) in zip(home.children, [Self.account, Self.account + 1]) {
        try await home.save([
          Register(.machine(context.own), HouseholdKey.account(account), child.description, modified: modified),
          Register(.child(child), "programs", "listed", modified: modified),
        ])
      }
      try await body(home, RefusedProgramService(context: context, directory: home.service.directory))
    }
  }

  @Test("A file with the name of a refused program gets an ID of its own, and leaves that program's as it was")
  func sameName() async throws {
    try await withTwo { home, service in
      let now = home.service.context.now()
      try await service.note(Self.use(nil), [Self.path("/opt/luanti/luanti")], at: now)
      try await service.look()
      let before = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma").map(\.appID)
      try await service.note(Self.use(nil), [Self.path("/home/emma/luanti")], at: now)
      try await service.look()
      let after = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      #expect(before.count == 1 && Set(after.map(\.appID)).count == 2)
      #expect(after.first { $0.matcher == "path /opt/luanti/luanti" }?.appID == before.first)
    }
  }

  private static func digest(_ byte: String) -> AppMatcher {
    AppMatcher(kind: .sha256, value: String(repeating: byte, count: 32))
  }

  @Test("A program of the child's own is refused as what the child's menu calls it, by its content, and keeps that ID")
  func own() async throws {
    try await withTwo { home, service in
      let (context, emma) = (home.service.context, home.children[0])
      let zirp = SampleValues.app("net.zirp.zirp")
      let file = Self.path("/home/emma/games/zirp")
      var counter: UInt32 = 1
      func set(_ rules: [(RegisterKey, String)]) async throws {
        counter += 1
        let modified = HybridTimestamp(wall: context.wall(), counter: counter, author: SampleValues.parentID)
        try await home.save(rules.map { Register(.child(emma), $0.0, $0.1, modified: modified) })
      }
      func listed() async throws -> [RefusedListing] {
        try await service.look()
        return try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      }
      _ = try await context.store.setInstalled(
        EntryList([InstalledApp(appID: zirp, name: "Zirp")]), matchers: [zirp: InstalledMatchers([file], isOwn: true)],
        at: 8)
      try await set([("app/net.zirp.zirp/hours", "16:00-18:00")])

      // Its content is not known at first.
      try await service.note(Self.use(nil), [file], at: context.now())
      let unread = try await listed()
      #expect(unread.map(\.appID) == [zirp] && unread.map(\.isReplaceable) == [true] && unread.map(\.isNew) == [false])
      try await service.note(Self.use(nil), [Self.digest("0a"), file], at: context.now())
      let known = try await listed()
      #expect(known.map(\.matcher) == [Self.digest("0a").text] && known.map(\.displayName) == ["Zirp"])
      #expect(known.map(\.appID) == [zirp] && known.map(\.file) == [file.value] && !known[0].isReplaceable)
      #expect(!known[0].isListed && known[0].matchers.isEmpty)

      // A category alone lets nothing run, since nothing recognizes the program.
      try await set([("app/net.zirp.zirp/category", "neutral")])
      #expect(try await listed().map(\.isListed) == [true])
      try await set([("app/net.zirp.zirp/matchers", Self.digest("0a").text)])
      #expect(try await listed().isEmpty)
      // The next version is the same application, and is allowed beside the one before.
      try await service.note(Self.use(nil), [Self.digest("0b"), file], at: context.now())
      let newer = try await listed()
      #expect(newer.map(\.appID) == [zirp] && newer.map(\.matchers) == [[Self.digest("0a").text]])
    }
  }

  @Test("A menu entry that the child changes gives a program neither another ID nor another name")
  func renamed() async throws {
    try await withTwo { home, service in
      let (context, emma) = (home.service.context, home.children[0])
      let (checkers, lesson) = (SampleValues.app("checkers"), SampleValues.app("lesson"))
      let (file, moved) = (Self.path("/home/emma/checkers"), Self.path("/home/emma/lesson"))
      func reads(_ app: AppID, _ name: String, _ file: AppMatcher) async throws {
        _ = try await context.store.setInstalled(
          EntryList([InstalledApp(appID: app, name: name)]), matchers: [app: InstalledMatchers([file], isOwn: true)],
          at: 8)
      }
      func listed() async throws -> [RefusedListing] {
        try await service.look()
        return try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      }
      try await reads(checkers, "Checkers", file)
      try await service.note(Self.use(nil), [Self.digest("0a"), file], at: context.now())
      #expect(try await listed().map(\.appID) == [checkers])
      try await home.save([
        Register(
          .child(emma), "app/checkers/limit", "30",
          modified: HybridTimestamp(wall: context.wall(), counter: 2, author: SampleValues.parentID))
      ])
      // A service that has read nothing yet knows what was remembered.
      let later = RefusedProgramService(context: context, directory: home.service.directory)
      try await reads(lesson, "Lesson", file)
      try await later.note(Self.use(nil), [Self.digest("0b"), file], at: context.now())
      let renamed = try await listed()
      #expect(renamed.map(\.appID) == [checkers] && renamed.map(\.matcher) == [Self.digest("0b").text], "\(renamed)")
      // The same content at another place, which the menu names now.
      try await reads(lesson, "Lesson", moved)
      try await later.note(Self.use(nil), [Self.digest("0b"), moved], at: context.now())
      #expect(Set(try await listed().map(\.appID)) == [checkers])
    }
  }

  @Test(
    "What a parent recognizes otherwise is not what the child's menu calls so, and a rule's name shows what is meant")
  func claimed() async throws {
    try await withTwo { home, service in
      let (context, emma) = (home.service.context, home.children[0])
      let modified = HybridTimestamp(wall: context.wall(), counter: 2, author: SampleValues.parentID)
      let (chess, kart) = (SampleValues.app("chess"), SampleValues.app("kart"))
      let file = Self.path("/home/emma/evil")
      _ = try await context.store.setInstalled(
        EntryList([InstalledApp(appID: chess, name: "Chess")]),
        matchers: [chess: InstalledMatchers([file], isOwn: true)], at: 8)
      for (key, value) in [
        ("app/chess/matchers", "path /usr/games/chess"), ("app/chess/category", "learning"),
        ("app/kart/matchers", "name kart"), ("app/kart/hours", "15:00-16:00"),
      ] as [(RegisterKey, String)] {
        try await home.save([Register(.child(emma), key, value, modified: modified)])
      }
      try await service.note(Self.use(nil), [Self.digest("0a"), file], at: context.now())
      try await service.note(Self.use(nil), [Self.digest("0b"), Self.path("/home/emma/kart")], at: context.now())
      try await service.look()
      let listed = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      #expect(listed[0].appID == kart && listed[0].matchers == ["name kart"] && listed[0].file == "/home/emma/kart")
      #expect(listed[1].appID.text.wholeMatch(of: /evil-[0-9a-f]{8}/) != nil && listed[1].displayName == "evil")
      #expect(listed[1].matcher == Self.digest("0a").text && listed[1].category == nil)
    }
  }

  @Test("The name in the list names the program from then on, and another application's name is not shown for it")
  func named() async throws {
    try await withTwo { home, service in
      let (context, emma) = (home.service.context, home.children[0])
      _ = try await context.store.setInstalled(
        EntryList([InstalledApp(appID: Self.chess, name: "Chess")]), matchers: [:], at: 8)
      for (byte, name) in [("0a", "kart"), ("0b", "chess"), ("0c", "all"), ("0d", "reward"), ("0e", "a$b")] {
        try await service.note(Self.use(nil), [Self.digest(byte), Self.path("/home/emma/\(name)")], at: context.now())
      }
      try await service.look()
      let listed = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      #expect(listed.map(\.newName) == [nil, nil, nil, nil, "kart"], "\(listed)")
      #expect(listed.dropLast().map(\.displayName) == listed.dropLast().map(\.appID.text), "\(listed)")
      let kart = try #require(listed.last)
      #expect(kart.displayName == "kart" && kart.appID.text != "kart")

      // What `apps allow` sets.
      let modified = HybridTimestamp(wall: context.wall(), counter: 2, author: SampleValues.parentID)
      let values = [
        ("name", try #require(kart.newName)), ("category", "neutral"), ("matchers", try #require(kart.matcher)),
      ]
      for (rule, value) in values {
        let key = try #require(RegisterKey("app/\(kart.appID.text)/\(rule)"))
        try await home.save([Register(.child(emma), key, value, modified: modified)])
      }
      let explained = try await home.node(Self.root).ask(Endpoints.getExplanation, ("Emma", kart.displayName, nil))
      #expect(explained.app.appID == kart.appID && explained.app.displayName == "kart")
      // A misspelling is asked about, and what is refused is said to be.
      do {
        _ = try await home.node(Self.root).ask(Endpoints.getExplanation, ("Emma", "karr", nil))
        Issue.record("No application has that name.")
      } catch let error as LocalAPIError {
        #expect(
          error.message.contains("Did you mean kart?") && error.message.contains("`latchkey apps scan"), "\(error)")
      }
      let all = try await home.node(Self.root).ask(Endpoints.getExplanation, ("Emma", listed[2].appID.text, nil))
      #expect(
        all.leftOpen.contains { $0.contains("because it is not listed: `latchkey apps allow") }, "\(all.leftOpen)")
      #expect(all.leftOpen.contains { $0.contains("`latchkey apps scan") }, "\(all.leftOpen)")
      // Another file of that name is told apart.
      let other = Self.path("/home/emma/other/kart")
      try await service.note(Self.use(nil), [Self.digest("0f"), other], at: context.now())
      try await service.look()
      let again = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      let second = try #require(again.first { $0.file == other.value })
      #expect(second.displayName == second.appID.text && second.newName == nil && second.appID != kart.appID)
    }
  }

  @Test("A child who starts many programs pushes none of another child's out of the list")
  func shares() async throws {
    try await withTwo { home, service in
      let context = home.service.context
      try await service.note(Self.use(nil), [Self.path("/home/emma/first")], at: context.now())
      for number in 0..<300 {
        try await service.note(
          Self.use(nil, Self.account + 1), [Self.path("/home/tom/game\(number)")], at: context.now())
      }
      try await service.note(Self.use(nil), [Self.path("/home/emma/last")], at: context.now())
      try await service.look()
      let told = try #require(try await context.store.inventory(RefusedProgram.self, of: context.own))
      #expect(told.entries.count == RefusedProgram.most && told.more == 2)
      let emmas = try await home.node(Self.root).ask(Endpoints.getRefused, "Emma")
      #expect(emmas.map(\.displayName) == ["last", "first"] && emmas.allSatisfy { $0.more == 2 })
    }
  }
}
