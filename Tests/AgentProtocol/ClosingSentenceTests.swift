import LatchkeyAgentProtocol
import Testing

/// Tests of what a child is told of closing: Protocol/13-agent.md §4.
@Suite struct ClosingSentenceTests {
  @Test(
    "A reason names the application once, before the first colon",
    arguments: [
      ("Kart", "bedtime", "Kart: bedtime"), ("Kart", "Kart is blocked", "Kart is blocked"),
      ("Dune: Part Two", "bedtime", "Dune – Part Two: bedtime"),
      ("Kart", "30 min of Kart a day are used", "Kart: 30 min of Kart a day are used"),
    ])
  func reason(name: String, why: String, expected: String) {
    #expect(ClosingSentence.reason(name: name, why: why) == expected)
  }

  @Test(
    "An unknown program is named by its file",
    arguments: [
      ("kart", "The unknown program “kart” was closed: unknown programs are blocked."),
      ("memfd:kart (deleted)", "The unknown program “memfd:kart” was closed: unknown programs are blocked."),
      ("a: b\u{202E}\u{7}", "The unknown program “a – b\u{FFFD}\u{FFFD}” was closed: unknown programs are blocked."),
      ("", "An unknown program was closed: unknown programs are blocked."),
    ])
  func unknown(file: String, expected: String) {
    let terms = ClosingSentence.reason(name: "An unknown program", why: "unknown programs are blocked")
    let reason = ClosingSentence.reason(terms, ofUnknown: file[...])
    #expect(ClosingSentence.closed(reason: reason, deed: .killed).worded() == expected)
  }

  @Test(
    "A warning says what closes, when and why",
    arguments: [
      (300_000, "Kart: bedtime", "Kart closes in 5 minutes: bedtime."),
      (299_001, "Kart: bedtime", "Kart closes in 5 minutes: bedtime."),
      (60_000, "Kart: bedtime", "Kart closes in 1 minute: bedtime."),
      (59_999, "Kart: bedtime", "Kart closes in less than a minute: bedtime."),
      (60_000, "Kart is blocked", "Kart closes in 1 minute: it is blocked."),
      (60_001, "locked by a parent", "In 2 minutes, a program closes: locked by a parent."),
    ] as [(Int64, String, String)])
  func warning(left: Int64, reason: String, expected: String) {
    #expect(ClosingSentence.warning(reason: reason, left: left).worded() == expected)
  }

  @Test func closing() {
    #expect(
      ClosingSentence.sessionsWarning(reason: "bedtime until 07:00", left: 60_000).worded()
        == "This session closes in 1 minute: bedtime until 07:00. Save your work.")
    #expect(
      ClosingSentence.sessionsClosed(reason: "locked by a parent").worded()
        == "This session closes now: locked by a parent.")
    #expect(ClosingSentence.closed(reason: "Kart: bedtime", deed: .killed).worded() == "Kart was closed: bedtime.")
    #expect(ClosingSentence.closed(reason: "Kart: bedtime", deed: .paused).worded() == "Kart was paused: bedtime.")
    #expect(
      ClosingSentence.closed(reason: "Kart is blocked", deed: .asked).worded() == "Kart is blocked. It was closed.")
    #expect(
      ClosingSentence.closed(reason: "Kart: bedtime", deed: .asked, graceMilliseconds: 60_000).worded()
        == "Kart closes in 1 minute: bedtime. Save your work.")
    #expect(
      ClosingSentence.closed(reason: "Kart: bedtime", deed: .killed, graceMilliseconds: 60_000).worded()
        == "Kart was closed: bedtime.")
    #expect(ClosingSentence.closed(reason: "", deed: .asked).worded() == "A program was closed.")
    #expect(
      ClosingSentence.closed(reason: "Kart is blocked", deed: .paused).worded() == "Kart is blocked. It was paused.")
  }
}
