import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyHousehold

/// The sentences of receipts: Protocol/10-household.md §2.
@Suite struct ReceiptTextTests {
  private func sentence(
    _ key: String, _ value: String, _ enforcement: Enforcement, _ conditions: MachineCondition...
  ) throws -> String {
    var random = SeededRandom(seed: 9)
    let mum = Samples.deviceID(&random)
    let register = Register(
      .child(try #require(ChildID("0193e29c-0000-7000-8000-000000000001"))), try #require(RegisterKey(key)), value,
      modified: HybridTimestamp(wall: 5, counter: 0, author: mum))
    let terms = RuleTerms(names: [try #require(AppID("kart")): "Kart"])
    return RegistersInForce([register], enforcement, but: conditions).summary(on: "Emma's PC", terms)
  }

  @Test("A receipt says what is carried out otherwise, and why")
  func otherwise() throws {
    #expect(
      try sentence("app/kart/step", "pause", .enforced, .init("cannot-pause", account: 1_000, detail: "no-cgroups"))
        .hasSuffix(
          "But programs are closed there instead of frozen: its kernel has no control groups of the second version."))
    #expect(
      try sentence(
        "app/kart/step", "pause", .ownPrograms, .init("cannot-pause", account: 1_000, detail: "own-programs")
      ).hasSuffix("But programs are closed there instead of frozen, until the package is installed."))
    let sessions = try sentence(
      "sessions", "close", .ownPrograms, .init("cannot-close-sessions", account: 1_000, detail: "own-programs"))
    #expect(
      sessions.hasPrefix("In force on Emma's PC, for the programs of Latchkey's own account only: ")
        && sessions.hasSuffix(
          "But the child is not logged out there and programs are closed one by one, until the package is installed.")
    )
    #expect(
      try sentence("lock", "on", .enforced, .init("no-process-events"), .init("of-a-later-version"))
        == "In force on Emma's PC: locked. But programs are closed there up to a second late: its kernel does not tell of "
        + "programs that start. But something weakens it there that this version does not know: update Latchkey here.")
  }

  @Test("A receipt of what is not carried out at all says why, once")
  func open() throws {
    #expect(
      try sentence("lock", "on", .recorded, .init("agent-silent"))
        == "Recorded on Emma's PC: locked. Nothing enforces that there now: no agent answers there.")
    #expect(
      try sentence(
        "app/kart/blocked", "yes", .recorded, .init("rule-bad-matcher", account: 1_000, detail: "kart"),
        .init("rule-bad-matcher", account: 1_001, detail: "kart")
      ).hasSuffix("Nothing enforces that there now: the rules of “Kart” cannot recognize a program."))
    #expect(
      try sentence("lock", "on", .recorded, .init("rule-no-account", account: 1_009))
        .hasSuffix("now: that machine has no account with the number 1009 any more."))
    #expect(try sentence("lock", "on", .recorded).hasSuffix("`latchkey doctor` says why."))
  }
}
