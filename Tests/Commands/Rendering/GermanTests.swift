import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of what a child reads whose machine is set to German.
@Suite struct GermanTests {
  private static let english: Set<String> = [
    "the", "and", "until", "left", "used", "today", "closed", "yes", "with", "your", "you", "of", "is", "are", "this",
    "machine", "time", "points", "day", "there", "what", "no", "for", "ago", "blocked", "since", "shows", "parents",
  ]

  private func run(_ arguments: [String], _ script: ScriptedNode.Script) async -> ScriptedRun {
    await ScriptedRun(arguments, node: ScriptedNode(script)) { $0.variables["LANG"] = "de_DE.UTF-8" }
  }

  private func read(_ run: ScriptedRun) -> String {
    run.console.output + run.console.notes.joined(separator: "\n")
  }

  /// Expects that there is no word of English outside of commands.
  private func expectNoEnglish(_ all: String, _ location: SourceLocation = #_sourceLocation) {
    let code = all.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    let text = code.filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
    let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
    #expect(
      words.isDisjoint(with: Self.english), "\(words.intersection(Self.english)): \(all)", sourceLocation: location)
  }

  /// The script of a child's machine.
  private func childs() -> ScriptedNode.Script {
    var script = script()
    script.status.role = .child
    return script
  }

  private func script() -> ScriptedNode.Script {
    var (script, rules) = (ScriptedNode.Script(), RuleSet())
    rules.dailyLimit = DayLimits(everyDay: 120)
    func words(_ reason: Reason) -> Phrase {
      ReasonText.words(reason, rules, of: .unknown, on: .first, name: "Chat")
    }
    script.today.screen.reason = words(.dailyLimit)
    script.today.apps[1].verdict.reason = words(.dailyLimit)
    script.today.apps[2].verdict.reason = words(.blocked)
    script.today.notices = [
      Phrase(
        "{app}: {time} left ({rule}).",
        ["app": "Chess", "time": .phrase(SpanText.phrase(minutes: 5)), "rule": .phrase(words(.dailyLimit))])
    ]
    script.requests = Array(SampleValues.requests.prefix(1))
    return script
  }

  @Test func meHasNoWordOfEnglish() async {
    let run = await run(["me"], script())
    let all = read(run)
    expectNoEnglish(all)
    for part in [
      "Emma 1 Std 12 Min von 2 Std · noch 48 Min, bis 14:48 · Chess auf Emma's PC seit 13:42",
      "Chat ist gesperrt.", "Es sind noch 12,5 Punkte da.", "Lernen bringt Punkte: GCompris.",
      "Chess: noch 5 Min (2 Std Bildschirmzeit am Tag).",
    ] {
      #expect(all.contains(part), "\(all)")
    }
    #expect(run.status == 0)
  }

  @Test func askAndPointsAreGerman() async {
    let asked = await run(["ask", "30m"], script())
    #expect(asked.console.notes.joined().contains("Deine Eltern werden gefragt: 30 Min"), "\(asked.console.notes)")
    let redeemed = await run(["redeem", "20"], script())
    #expect(redeemed.console.notes.joined().contains("wurden zu"), "\(redeemed.console.notes)")
    #expect(redeemed.console.notes.joined().contains("Sa, 21. Nov"), "\(redeemed.console.notes)")
  }

  @Test("The tables of points, requests and rules are in the child's language, and English on a parent's machine")
  func tables() async {
    let points = read(await run(["points"], childs()))
    #expect(points.contains("Wann") && points.contains("Punkte") && points.contains("Gerät"), "\(points)")
    var requests = childs()
    requests.requests = SampleValues.requests
    for index in requests.requests.indices {
      requests.requests[index].reason = ""
      requests.requests[index].answer?.word = ""
    }
    let table = read(await run(["requests"], requests))
    expectNoEnglish(table.replacing("Mum's laptop", with: "").replacing("Tom's laptop", with: ""))
    for part in ["Bittet um", "Antwort", "vor 5 Minuten", "vor 2 Stunden", "wartet"] {
      #expect(table.contains(part), "\(table)")
    }
    var parent = script()
    parent.requests = SampleValues.requests
    let parents = read(await run(["requests"], parent))
    #expect(parents.contains("Asks for") && parents.contains("5 minutes ago"), "\(parents)")
    requests.requests = []
    #expect(read(await run(["requests"], requests)).contains("Heute wurde um nichts gebeten."))
  }

  @Test func whatChangedPointsIsSaidWithItsReason() throws {
    var entry = try #require(SampleValues.points.entries.first)
    (entry.phrase, entry.note) = (Phrase("changed by a parent"), "Küche")
    let german = try #require(Language.named("de"))
    #expect(PointsSentences.what(entry).worded(in: german) == "von einem Elternteil geändert: Küche")
    entry.note = ""
    #expect(PointsSentences.what(entry).worded() == "changed by a parent")
  }

  @Test("An application is explained to a child with what the child can do")
  func explained() async {
    var script = childs()
    script.explanation.app = script.today.apps[2]
    script.explanation.rules = [
      .init(
        rule: "blocked", words: "Chat is blocked", phrase: Phrase("{app} is blocked", ["app": "Chat"]), isOpen: false,
        leftMilliseconds: nil)
    ]
    let all = read(await run(["explain", "--app", "chat"], script))
    expectNoEnglish(all)
    for part in ["nicht erlaubt (Chat ist gesperrt).", "Regel", "Frag sie mit `latchkey ask --app"] {
      #expect(all.contains(part), "\(all)")
    }
  }

  @Test("Mistakes in a child's commands are answered in the child's language")
  func mistakes() async {
    for (arguments, part) in [
      (["ask"], "Bitte um eine Zeit, zum Beispiel 30m"), (["ask", "25h"], "1 Minute bis 24 Stunden"),
      (["ask", "supertuxkart"], "`latchkey ask --app supertuxkart`"),
      (["redeem"], "Gib eine Zahl von Punkten über 0 an"),
      (["redeem", "5000", "--minutes"], "1 bis 1.440 Minuten"), (["refund", "5"], "„5“ ist hier ein Wort zu viel."),
      (["me", "--i-am", "Ben", "--leave"], "nicht beides"),
      (["ask", "30m", "--loud"], "Eine Option --loud gibt es hier"),
    ] {
      let run = await run(arguments, childs())
      let all = read(run)
      expectNoEnglish(all)
      #expect(run.status == 64 && all.hasPrefix("Fehler: ") && all.contains(part), "\(arguments): \(all)")
      #expect(all.contains("Mehr dazu zeigt `latchkey \(arguments[0]) --help`."), "\(all)")
    }
  }

  @Test("A word that is no time may be an application, in English as well")
  func noTime() async {
    let run = await ScriptedRun(["ask", "supertuxkart"])
    let all = run.console.notes.joined()
    let next = "`latchkey ask --app supertuxkart`."
    #expect(run.status == 64 && all.contains(next), "\(all)")
  }

  @Test("The command that names one of several children follows in each language")
  func namingOneOfSeveral() async {
    var script = childs()
    script.error = LocalAPIError.notOneChild(["Ben", "Emma"], orFamily: false)
    let german = read(await run(["ask", "30m"], script))
    #expect(german.contains("zum Beispiel mit `latchkey ask 30m --child Ben`."), "\(german)")
    expectNoEnglish(german)
    let english = await ScriptedRun(["ask", "30m"], node: ScriptedNode(script)).console.notes.joined()
    #expect(english.contains("Name one, such as `latchkey ask 30m --child Ben`."), "\(english)")
  }

  @Test func messagesAndTheLineOfAStatusBarAreGerman() async throws {
    var script = childs()
    script.status.messages = []
    #expect(read(await run(["messages"], script)).contains("Hier sind keine Nachrichten angekommen."))
    script.today.screen = VerdictToday(
      isAllowed: true, rule: "bedtime", reason: "bedtime", until: SampleValues.now + 5_400_000,
      leftMilliseconds: 5_400_000)
    #expect(read(await run(["widget"], script)).contains("bis zur Schlafenszeit"))
    let sentence = MessageText.line(
      try #require(SampleValues.status.messages.first), from: DeviceName(sanitising: "PC"), zone: TimeText.zone("GMT"),
      in: try #require(Language.named("de")))
    #expect(sentence.hasPrefix("Nachricht von „PC“, gesendet "), "\(sentence)")
  }

  @Test func aParentsCommandIsEnglish() async {
    let run = await run(["today"], script())
    #expect(run.console.output.contains("48 min left, until 14:48"))
  }
}
