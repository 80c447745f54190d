import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of `latchkey notify` on a child's machine.
@Suite struct ChildTellerTests {
  private static func notice(_ key: String, _ kind: ChildNotice.Kind = .warned) -> ChildNotice {
    ChildNotice(number: 1, key: key, kind: kind, sentence: "It closes in 5 minutes: bedtime.", at: BootClock.now())
  }

  private static let asked = SampleValues.requests[0].requestID

  @Test(
    "A warning has a button that asks for more time, for the application or for all; the answer takes its place",
    arguments: [
      ("app/org.kde.gcompris", "org.kde.gcompris"),
      // It closes with all others.
      ("app/org.gnome.Chess", nil), ("sessions", nil),
    ] as [(String, String?)])
  func asks(key: String, app: String?) async throws {
    let (node, desktop) = (ScriptedNode(), FakeDesktop())
    try await TerminalEnvironment.$current.withValue(
      ScriptedRun.environment(node: node, console: ScriptedConsole())
    ) {
      var teller = ChildTeller(try NodeOptions.parse([]), on: desktop)
      var deeds = desktop.deeds.makeAsyncIterator()
      try teller.tell(Self.notice(key))
      let action = DesktopNotification.Action("ask", "Ask for 15 min")
      #expect(
        await deeds.next()
          == .shown(
            DesktopNotification(title: "Closes soon", body: "It closes in 5 minutes: bedtime.", actions: [action]),
            replacing: nil))
      let id = NotificationID(0, 1)
      try await teller.handle(.pressed(id, action: "ask"))
      #expect(node.inputs(of: Endpoints.ask) == [AskRequest(minutes: 15, app: app)])
      #expect(
        await deeds.next()
          == .shown(
            DesktopNotification(title: "Asked", body: "Your parents are asked for 30 min (3f3f)."), replacing: id))
      try teller.tell(Self.notice("request/\(Self.asked)", .approved))
      #expect(
        await deeds.next()
          == .shown(
            DesktopNotification(title: "Your parents say yes", body: "It closes in 5 minutes: bedtime."), replacing: id)
      )
    }
  }

  @Test("What the desktop could not show is shown when it is back, unless it is no news any more")
  func late() async throws {
    let (node, desktop) = (ScriptedNode(), FakeDesktop(["body"]))
    try await TerminalEnvironment.$current.withValue(
      ScriptedRun.environment(node: node, console: ScriptedConsole())
    ) {
      var teller = ChildTeller(try NodeOptions.parse([]), on: desktop)
      var deeds = desktop.deeds.makeAsyncIterator()
      var stale = Self.notice("app/a")
      stale.at = stale.at + -180_000
      desktop.leave()
      try teller.tell(stale)
      #expect((try? teller.tell(Self.notice("app/b"))) == nil)
      desktop.comeBack()
      try await teller.handle(.replaced(by: 1))
      let words = "It closes in 5 minutes: bedtime. To ask for more, type `latchkey ask 15m`."
      #expect(await deeds.next() == .shown(DesktopNotification(title: "Closes soon", body: words), replacing: nil))
    }
  }

  @Test("A child that asks is told which parents have it")
  func told() {
    var request = SampleValues.requests[0]
    request.told = []
    #expect(
      RequestText.asked(request, now: SampleValues.now)
        == "Your parents are asked for 30 min (3f3f). No parent can be reached now; it is sent when one is.")
    request.told = [
      .init(name: DeviceName(sanitising: "Anna’s phone"), at: SampleValues.now - 10_000),
      .init(name: DeviceName(sanitising: "Dad’s laptop"), at: SampleValues.now),
    ]
    #expect(
      RequestText.asked(request, now: SampleValues.now)
        == "Your parents are asked for 30 min (3f3f). It is on Anna’s phone (10 s ago) and Dad’s laptop (just now).")
  }
}
