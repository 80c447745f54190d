import Foundation
import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The zone and days of a family, and when a page asks for them.
@Suite struct FamilyClockTests {
  private static func rules(_ settings: FamilySettings) -> FamilyRules {
    FamilyRules(settings: settings, rules: SampleValues.settings.rules, untold: [])
  }

  @Test func theZoneAndTheHourAreThoseOfTheSettings() {
    var rules = RuleSet()
    (rules.zone, rules.dayStartHour) = ("America/New_York", 4)
    let clock = FamilyClock(Self.rules(FamilySettings(rules)))
    #expect(clock.zone.identifier == "America/New_York" && clock.dayStartHour == 4)
  }

  @Test(
    arguments: [
      [:], ["zone": .text("Mars/Olympus"), "dayStartHour": .number(24)],
      ["zone": .number(1), "dayStartHour": .text("4")], ["dayStartHour": .number(-1)],
    ] as [[String: FamilySettings.Value]])
  func whatIsNoSettingIsTheDefault(values: [String: FamilySettings.Value]) {
    let clock = FamilyClock(Self.rules(FamilySettings(values)))
    #expect(clock.zone.secondsFromGMT() == 0 && clock.dayStartHour == 0)
  }

  @Test func onlyAPageWithTimesOfDayAsksForTheZone() async {
    var script = ScriptedNode.Script()
    (script.status.running, script.status.messages) = ([], [])
    let without = await ScriptedRun("status", script: script)
    #expect(without.node.calls == [.ask(Endpoints.getStatus), .ask(Endpoints.getConditions)])
    script.status.running = [SampleValues.running]
    let with = await ScriptedRun("status", script: script)
    #expect(
      with.node.calls == [
        .ask(Endpoints.getStatus), .ask(Endpoints.getSettings), .ask(Endpoints.getConditions),
      ])
  }
}
