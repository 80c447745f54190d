import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The commands by which a parent lets an application run.
@Suite struct ExplainedChangeTests {
  private func sentence(_ app: AppID, _ rules: String...) -> String? {
    var found = SampleValues.explanation
    found.app.appID = app
    found.rules = rules.map { .init(rule: $0, words: $0, isOpen: false, leftMilliseconds: nil) }
    return ExplainedChange.sentence(found)
  }

  @Test("What is not listed gets a category, and of many programs each has a command in a list of its own")
  func unlisted() throws {
    let kart = try #require(AppID("kart"))
    #expect(
      sentence(kart, "programs")
        == "A parent lets it run with `latchkey app set kart --child Emma --category reward`. That holds from then on, not "
        + "today alone.")
    #expect(
      sentence(kart, "dailyLimit", "appHours")
        == "A parent lets it run with `latchkey grant Emma 30m` and `latchkey app set kart --child Emma --hours "
        + "00:00-24:00`. What is not for today alone holds from then on.")
    let list = "`latchkey apps refused --child Emma` lists what was closed, with the command that allows each."
    #expect(sentence(.otherPrograms, "programs") == list)
    #expect(
      sentence(.otherPrograms, "programs", "lock") == "A parent lets it run with `latchkey unlock Emma`. \(list)")
    #expect(sentence(.unknownPrograms, "redeemedTime") == nil)
  }
}
