import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of hints with a command that can be typed as it is.
@Suite struct KnownValueHintsTests {
  @Test func whoNamesNoneOfSeveralRequestsReadsTheCommandForEach() async {
    for verb in ["approve", "deny"] {
      var script = ScriptedNode.Script()
      script.answerErrors = [LocalAPIError(.invalid, "2 requests wait for an answer.")]
      script.requests = [SampleValues.requests[0], SampleValues.requests[0]]
      script.requests[1].short = "4a4a"
      let run = await ScriptedRun(verb, script: script)
      let text = run.console.notes.joined(separator: " ").replacing("\n", with: " ")
      #expect(run.status == 64 && text.contains("`latchkey \(verb) 3f3f` for Emma (30 min), or "), "\(text)")
      #expect(text.contains("`latchkey \(verb) 4a4a` for Emma"), "\(text)")
    }
  }

  @Test func theAnswerToARequestNamesItWhereSeveralWait() async {
    var script = ScriptedNode.Script()
    script.status.role = .parent
    let one = await ScriptedRun("requests", script: script)
    #expect(one.console.notes == ["`latchkey approve` or `latchkey deny` answers it; the first answer holds."])
    var second = SampleValues.requests[0]
    second.short = "4a4a"
    script.requests.insert(second, at: 0)
    let two = await ScriptedRun("requests", script: script)
    #expect(
      two.console.notes.first?.hasPrefix("`latchkey approve 4a4a` or `latchkey deny 4a4a` answers the one at the top")
        == true, "\(two.console.notes)")
  }

  @Test func whyAnApplicationIsClosedIsAskedByItsName() {
    var day = SampleValues.today
    let hint = MeText.hint(day, SampleValues.requests)
    #expect(hint == "`latchkey explain Emma --app Chat` shows why Chat is closed.")
    day.apps[2].displayName = "Chess"
    let other = MeText.hint(day, SampleValues.requests)
    #expect(
      other == "`latchkey explain Emma --app \"org.example.Chat\"` shows why Chess is closed.", "Two are called so.")
    day.apps.removeLast()
    #expect(MeText.hint(day, SampleValues.requests) == nil)
    #expect(MeText.hint(day, []) == "For more, ask your parents with `latchkey ask 30m`.")
  }

  @Test func aReviewNamesTheLearning() {
    let sentences = PointsSentences.all(SampleValues.points, on: .parent)
    #expect(sentences.contains("`latchkey points review 5a5a --approve` or `--reject` decides."), "\(sentences)")
  }
}
