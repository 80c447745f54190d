import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// As which application a program counts that a child has installed for itself, whatever the
/// child's menu calls it: Protocol/11-rules.md §5.
@Suite struct OwnProgramsTests {
  private static func app(_ text: String) -> AppID { AppID(text)! }

  private static func path(_ path: String) -> AppMatcher { AppMatcher(kind: .path, value: path) }

  private static func digest(_ byte: String) -> AppMatcher {
    AppMatcher(kind: .sha256, value: String(repeating: byte, count: 32))
  }

  /// Returns an entry of the child's own menu.
  private static func entry(_ id: String, _ name: String, _ matchers: AppMatcher...) -> OwnPrograms.Found {
    OwnPrograms.Found(app: InstalledApp(appID: app(id), name: name), matchers: matchers, isOwn: true)
  }

  private static func rules(_ apps: [String: (inout RuleSet.App) -> Void]) -> RuleSet {
    var rules = RuleSet()
    for (id, change) in apps { change(&rules.apps[app(id), default: RuleSet.App()]) }
    return rules
  }

  /// A look at what is installed, and what it leaves to be remembered.
  private static func look(
    _ found: [OwnPrograms.Found], _ known: inout KnownPrograms, _ rules: RuleSet = RuleSet(), isThere: Bool = true
  ) -> [OwnPrograms.Found] {
    var programs = OwnPrograms(known, for: [rules])
    defer { known = programs.known }
    return programs.settle(found) { _ in isThere }
  }

  private static let checkers = path("/home/emma/games/checkers")
  private static let limited = rules(["checkers": { $0.limit = try? DayLimits("30") }])

  @Test("A program keeps its application and the name that a parent knows when its menu entry gets others")
  func renamed() {
    var known = KnownPrograms()
    let first = Self.look([Self.entry("checkers", "Checkers", Self.checkers)], &known)
    #expect(first == [Self.entry("checkers", "Checkers", Self.checkers)])

    // Another name, another file name, and both.
    for (id, name) in [("checkers", "Maths"), ("learning", "Checkers"), ("learning", "Maths")] {
      let now = Self.look([Self.entry(id, name, Self.checkers)], &known, Self.limited)
      #expect(now == first, "\(id) \(name)")
    }
    // No entry, and two entries of one program, of which the look makes nothing.
    let gone = Self.look([], &known, Self.limited)
    #expect(gone.map(\.app.appID.text) == ["checkers"] && gone[0].matchers == [Self.checkers] && gone[0].isOwn)
    #expect(gone[0].app.name == "Checkers" && gone[0].isListed)
    let two = Self.look([Self.entry("checkers", "Maths"), Self.entry("learning", "Learning")], &known, Self.limited)
    #expect(two.map(\.app.name) == ["Checkers", "Learning"] && two.map(\.matchers) == [[Self.checkers], []])
    // It was removed, and is recognized if it comes back before the next look.
    let removed = Self.look([], &known, Self.limited, isThere: false)
    #expect(removed.map(\.isListed) == [false] && removed.map(\.matchers) == [[Self.checkers]], "\(removed)")
  }

  @Test("Without rules an application takes the name of its entry, and rules that came first leave only the ID")
  func names() {
    var known = KnownPrograms()
    _ = Self.look([Self.entry("checkers", "Checkers", Self.checkers)], &known)
    #expect(Self.look([Self.entry("checkers", "Draughts", Self.checkers)], &known).map(\.app.name) == ["Draughts"])
    #expect(
      Self.look([Self.entry("checkers", "Maths", Self.checkers)], &known, Self.limited).map(\.app.name) == ["Draughts"])
    var fresh = KnownPrograms()
    let claimed = Self.look([Self.entry("checkers", "Maths", Self.checkers)], &fresh, Self.limited)
    #expect(claimed.map(\.app.name) == ["checkers"])
    // What root has installed says what it is called, also after it was removed.
    var machine = Self.entry("kart", "Kart", Self.path("/usr/games/kart"))
    machine.isOwn = false
    let kart = Self.rules(["kart": { $0.isBlocked = true }])
    #expect(Self.look([machine], &fresh, kart).map(\.app.name) == ["Kart"])
    #expect(
      Self.look([Self.entry("kart", "Maths", Self.path("/home/emma/kart"))], &fresh, kart).map(\.app.name) == ["Kart"])
  }

  @Test("Of several applications that a program may be, the one with rules wins, and otherwise the earliest")
  func several() {
    var known = KnownPrograms()
    _ = Self.look([Self.entry("foo", "Foo", Self.checkers)], &known)
    #expect(Self.look([Self.entry("bar", "Bar", Self.checkers)], &known).map(\.app.appID.text) == ["foo"])
    let ruled = Self.look([Self.entry("checkers", "Checkers", Self.checkers)], &known, Self.limited)
    #expect(ruled.map(\.app.appID.text) == ["checkers"])
    // An entry may bring a program under rules, and takes none from another one.
    var swapped = KnownPrograms()
    let other = Self.path("/home/emma/games/chat")
    _ = Self.look(
      [Self.entry("checkers", "Checkers", Self.checkers), Self.entry("chat", "Chat", other)], &swapped)
    let now = Self.look(
      [Self.entry("checkers", "Checkers", other), Self.entry("chat", "Chat", Self.checkers)], &swapped, Self.limited)
    #expect(now.map(\.app.appID.text) == ["checkers"] && now.map(\.matchers) == [[other, Self.checkers]], "\(now)")
    // A program of the child's own takes nothing from the machine's application.
    var machine = Self.entry("checkers", "Checkers", Self.path("/usr/games/checkers"))
    machine.isOwn = false
    let both = Self.look([machine, Self.entry("chat", "Chat", Self.checkers)], &swapped, Self.limited)
    #expect(both.map(\.app.appID.text) == ["checkers"] && both[0].matchers == machine.matchers)
  }

  @Test("A refused program is the application as which it was first known, by its place or its content")
  func refused() {
    var known = KnownPrograms()
    _ = Self.look([Self.entry("checkers", "Checkers", Self.checkers)], &known)
    func refused(_ matchers: [AppMatcher], _ claim: String?, _ rules: RuleSet = Self.limited) -> String? {
      OwnPrograms(known, for: [rules]).app(
        of: matchers, at: matchers.last?.value, named: nil, claims: claim.map { [Self.app($0)] } ?? [])?.text
    }
    #expect(refused([Self.digest("0a"), Self.checkers], "learning") == "checkers")
    #expect(refused([Self.digest("0a"), Self.path("/home/emma/x")], "learning") == "learning", "Nobody has seen it.")
    var programs = OwnPrograms(known, for: [Self.limited])
    programs.note([Self.digest("0a"), Self.checkers], at: Self.checkers.value, as: Self.app("checkers"))
    known = programs.known
    #expect(refused([Self.digest("0a"), Self.path("/home/emma/x")], "learning") == "checkers", "It was moved.")
    #expect(refused([Self.path("/home/emma/x")], nil) == nil)

    // What was allowed without an application keeps the one that it got.
    programs.note([Self.digest("0b"), Self.path("/home/emma/y")], at: "/home/emma/y", as: nil)
    known = programs.known
    let allowed = Self.rules(["y-12345678": { ($0.category, $0.matchers) = (.neutral, [Self.digest("0b")]) }])
    #expect(refused([Self.digest("0c"), Self.path("/home/emma/y")], "learning", allowed) == "y-12345678")
    // What a parent recognizes by anything else is not what a menu calls so.
    let places = Self.rules(["checkers": { $0.matchers = [Self.path("/usr/games/checkers")] }])
    #expect(refused([Self.digest("0d"), Self.checkers], nil, places) == nil)
  }

  @Test("No trick of a child's gives a game the ID of learning or of what is always allowed")
  func privileged() {
    let (game, lesson) = (Self.path("/home/emma/game"), Self.path("/home/emma/lesson"))
    for change in [
      { $0.category = .learning }, { ($0.category, $0.isAlwaysAllowed) = (.neutral, true) },
    ] as [(inout RuleSet.App) -> Void] {
      let set = Self.rules(["lesson": change])
      var allowed = set
      allowed.apps[Self.app("lesson")]?.matchers = [Self.digest("0a")]
      func refused(
        _ matchers: [AppMatcher], _ known: KnownPrograms, _ rules: RuleSet, named: String? = nil
      ) -> String? {
        OwnPrograms(known, for: [rules]).app(
          of: matchers, at: matchers.last?.value, named: named.map { Self.app($0) }, claims: [Self.app("lesson")])?.text
      }
      // The entry of the learning application names the game, which nobody has seen before.
      var known = KnownPrograms()
      _ = Self.look([Self.entry("lesson", "Lesson", game)], &known, set)
      #expect(refused([Self.digest("0b"), game], known, set) == nil && known.programs.isEmpty)
      #expect(refused([Self.digest("0b"), game], known, set, named: "lesson") == nil, "A file may have any name.")

      // It has named the game before a parent set the rule, and the lesson before and after that.
      known = KnownPrograms()
      for file in [lesson, game, lesson] { _ = Self.look([Self.entry("lesson", "Lesson", file)], &known) }
      #expect(refused([Self.digest("0a"), lesson], known, set) == "lesson")
      #expect(refused([Self.digest("0b"), game], known, set) == nil)
      var programs = OwnPrograms(known, for: [set])
      programs.note([Self.digest("0a"), lesson], at: lesson.value, as: Self.app("lesson"))
      programs.note([Self.digest("0b"), game], at: game.value, as: nil)
      known = programs.known
      #expect(refused([Self.digest("0c"), lesson], known, allowed) == "lesson", "The next version is the same.")
      #expect(refused([Self.digest("0c"), game], known, allowed) == nil)
      // The game is put at the place of the lesson.
      #expect(refused([Self.digest("0b"), lesson], known, allowed) == nil)
    }
    // Nobody has said anything about what is learning by default.
    var known = KnownPrograms()
    let entry = Self.entry("org.kde.gcompris", "GCompris", game)
    #expect(Self.look([entry], &known) == [entry] && known.programs.isEmpty)
    #expect(
      OwnPrograms(known, for: [RuleSet()]).app(
        of: [Self.digest("0b"), game], at: game.value, named: nil, claims: [Self.app("org.kde.gcompris")]) == nil)
  }

  @Test("However much a child installs, what has rules is not forgotten, and the rest is bounded")
  func bounds() {
    var known = KnownPrograms()
    _ = Self.look([Self.entry("checkers", "Checkers", Self.checkers)], &known)
    for number in 0..<600 {
      _ = Self.look([Self.entry("app\(number)", "App", Self.path("/home/emma/app\(number)"))], &known, Self.limited)
    }
    for number in 0..<40 {
      _ = Self.look([Self.entry("checkers", "Checkers", Self.path("/home/emma/c\(number)"))], &known, Self.limited)
    }
    #expect(known.programs.first == KnownPrograms.Program(Self.checkers, as: Self.app("checkers")))
    #expect(known.programs.count { $0.app == Self.app("checkers") } == OwnPrograms.mostOfApp + 1)
    #expect(known.programs.count <= OwnPrograms.mostOfApp + 1 + OwnPrograms.mostWithoutRules)
    #expect(known.names.count == 1)
    let now = Self.look([Self.entry("learning", "Learning", Self.checkers)], &known, Self.limited)
    #expect(now.first?.app.appID.text == "checkers")
  }
}
