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
    let all = run.console.output + run.console.notes.joined(separator: "\n")
    let code = all.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    let text = code.filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
    let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
    #expect(words.isDisjoint(with: Self.english), "\(words.intersection(Self.english)): \(all)")
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
  }

  @Test func aParentsCommandIsEnglish() async {
    let run = await run(["today"], script())
    #expect(run.console.output.contains("48 min left, until 14:48"))
  }
}
