import LatchkeyModel
import LatchkeySystem
import Synchronization
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of `latchkey notify` on a parent's machine.
@Suite struct ParentTellerTests {
  private static let emma = SampleValues.child.name
  private static let request = SampleValues.requests[0]
  private static let first = NotificationID(0, 1)

  private static func asked(_ number: Int = 2, _ requests: [RequestListing] = [request]) -> ParentNotice {
    ParentNotice(
      number: number, kind: .asked, key: "asked/Emma", child: emma, device: nil, requests: requests.map(\.requestID),
      sentence: "Emma asks for <30 min>: finish the level.", at: SampleValues.now)
  }

  /// Runs the command on a parent's machine until the test has ended the session.
  ///
  /// A pause lasts until it is cancelled, so that the command looks again only for an event, unless
  /// the test gives other pauses.
  private func run(
    _ notices: [ParentNotice], on desktop: FakeDesktop = FakeDesktop(),
    script: ScriptedNode.Script = ScriptedNode.Script(),
    pause: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(86_400)) },
    _ body: (ScriptedNode, AsyncStream<ChangeEvent>.Continuation, inout AsyncStream<FakeDesktop.Deed>.Iterator)
      async
      throws -> Void
  ) async throws {
    let (changes, changing) = AsyncStream<ChangeEvent>.makeStream()
    var script = script
    (script.childNotices, script.changeStream, script.parentNotices) = (nil, changes, notices)
    let node = ScriptedNode(script)
    async let run = ScriptedRun(["notify"], node: node) { environment in
      environment.desktop = desktop
      environment.pause = pause
    }
    changing.yield(ChangeEvent(.start))
    var deeds = desktop.deeds.makeAsyncIterator()
    try await body(node, changing, &deeds)
    desktop.report(.lost)
    #expect(await run.status == 69)
  }

  private func next(_ deeds: inout AsyncStream<FakeDesktop.Deed>.Iterator) async throws -> DesktopNotification {
    guard case .shown(let notification, _) = try #require(await deeds.next()) else {
      throw TerminalFailure(.internalFault, "It was withdrawn.")
    }
    return notification
  }

  @Test("Each notice is shown once, then its place is kept; a button answers, and the outcome takes the notice's place")
  func answered() async throws {
    let limit = ParentNotice(
      number: 1, kind: .limitReached, key: "limit/Emma", child: Self.emma, device: nil, sentence: "Emma’s time is up.",
      at: SampleValues.now)
    let desktop = FakeDesktop()
    try await run([limit, Self.asked()], on: desktop) { node, changing, deeds in
      let told = try await next(&deeds)
      #expect(told == DesktopNotification(title: "Time is up", body: "Emma’s time is up."))
      let shown = try await next(&deeds)
      #expect(shown.title == "Emma asks" && shown.body == "Emma asks for <30 min>: finish the level.")
      #expect(shown.actions.map(\.label) == ["Show the command", "15 min", "30 min", "No"] && shown.stays)
      changing.yield(ChangeEvent(.notice))
      desktop.report(.pressed(NotificationID(0, 2), action: "30"))
      let outcome = DesktopNotification(title: "Emma asks", body: "Emma gets 30 min for rewards.")
      #expect(await deeds.next() == .shown(outcome, replacing: NotificationID(0, 2)))
      #expect(
        node.inputs(of: Endpoints.answerRequest)
          == [AnswerRequest(request: Self.request.requestID.description, isApproved: true, minutes: 30)])
      #expect(node.inputs(of: Endpoints.setPosition).map { $0.1.position } == [1, 2])
      #expect(node.inputs(of: Endpoints.setPosition).allSatisfy { $0.0 == "desktop" })
    }
  }

  @Test("What the other parent has answered disappears, and what was answered here stays as its outcome")
  func withdrawn() async throws {
    try await run([Self.asked()]) { node, changing, deeds in
      _ = try await next(&deeds)
      node.script.withLock { $0.requests[0].state = .denied }
      changing.yield(ChangeEvent(.request))
      #expect(await deeds.next() == .withdrawn(Self.first))
    }
    let desktop = FakeDesktop()
    try await run([Self.asked()], on: desktop) { node, changing, deeds in
      _ = try await next(&deeds)
      node.script.withLock {
        $0.answerErrors = [LocalAPIError(.tooLate, "“Dad's laptop” answered that request before: no.")]
        $0.requests[0].state = .denied
        var over = Self.asked(3)
        over.isOver = true
        $0.parentNotices.append(over)
      }
      desktop.report(.pressed(Self.first, action: "15"))
      let outcome = try await next(&deeds)
      #expect(outcome.body == "“Dad's laptop” answered that request before: no.")
      changing.yield(ChangeEvent(.request))
      var calls = node.arrivals.makeAsyncIterator()
      let kept = ScriptedNode.Call.ask(Endpoints.setPosition, ("desktop", ReceiverPosition(position: 3)))
      while await calls.next() != kept {}
      // The next deed is another one's.
      node.script.withLock { $0.parentNotices.append(Self.asked(4, [])) }
      desktop.comeBack()
    }
  }

  @Test("A parent whose answer came second is told once what counts")
  func corrected() async throws {
    let desktop = FakeDesktop()
    try await run([Self.asked()], on: desktop) { node, changing, deeds in
      _ = try await next(&deeds)
      desktop.report(.pressed(Self.first, action: "15"))
      _ = try await next(&deeds)
      // The node has answered with this one.
      var other = SampleValues.requests[1]
      other.state = .denied
      other.answer?.isApproved = false
      other.answer?.minutes = nil
      node.script.withLock { [other] in $0.requests[1] = other }
      changing.yield(ChangeEvent(.request))
      let sentence =
        "Another parent answered \(Self.emma)’s request earlier, which counts: \(ShownText.worded(RequestText.phrase(other)))."
      #expect(try await next(&deeds).body == sentence)
      changing.yield(ChangeEvent(.request))
      // The next deed is another one's.
      node.script.withLock { $0.parentNotices.append(Self.asked(4, [SampleValues.requests[2]])) }
    }
  }

  @Test("Without buttons, or after a click on the notice itself, it says what to type; markup is escaped if it is read")
  func typed() async throws {
    let words = "In a terminal, type `latchkey approve 3f3f --minutes 30` or `latchkey deny 3f3f`."
    try await run([Self.asked()], on: FakeDesktop(["body", "body-markup"])) { _, _, deeds in
      let shown = try await next(&deeds)
      #expect(shown.actions.isEmpty && shown.stays)
      #expect(shown.body == "Emma asks for &lt;30 min&gt;: finish the level. \(words)")
    }
    let desktop = FakeDesktop()
    try await run([Self.asked()], on: desktop) { _, _, deeds in
      _ = try await next(&deeds)
      desktop.report(.pressed(Self.first, action: "default"))
      let shown = try await next(&deeds)
      #expect(shown.body.hasSuffix(words) && shown.actions.count == 4, "\(shown)")
    }
  }

  @Test("All requests of a notice are answered; an application alone is allowed or not")
  func several() async throws {
    var app = SampleValues.requests[2]
    app.state = .open
    for (requests, labels, key, minutes) in [
      ([app], ["Yes", "No"], "yes", [nil]), ([Self.request, app], ["15 min", "30 min", "No"], "15", [15, nil]),
    ] {
      let desktop = FakeDesktop()
      var script = ScriptedNode.Script()
      script.requests = requests
      try await run([Self.asked(2, requests)], on: desktop, script: script) { node, _, deeds in
        let shown = try await next(&deeds)
        #expect(shown.actions.dropFirst().map(\.label) == labels)
        desktop.report(.pressed(Self.first, action: key))
        _ = try await next(&deeds)
        let answers = node.inputs(of: Endpoints.answerRequest)
        #expect(answers.map(\.minutes) == minutes && answers.allSatisfy(\.isApproved), "\(answers)")
      }
    }
  }

  @Test("What could not be answered can be pressed again")
  func again() async throws {
    let desktop = FakeDesktop()
    var script = ScriptedNode.Script()
    script.answerErrors = [LocalAPIError(.timeout, "Start the node.")]
    try await run([Self.asked()], on: desktop, script: script) { node, _, deeds in
      _ = try await next(&deeds)
      desktop.report(.pressed(Self.first, action: "no"))
      let shown = try await next(&deeds)
      #expect(shown.body.hasSuffix("Start the node.") && shown.actions.count == 4, "\(shown)")
      desktop.report(.pressed(Self.first, action: "no"))
      let outcome = try await next(&deeds)
      #expect(outcome.body == "Emma does not get 1 h for rewards.")
    }
  }

  @Test("In quiet hours nothing is shown, and what is open is shown at their end")
  func quiet() async throws {
    let (pauses, pausing) = AsyncStream<Duration>.makeStream()
    let gate = Mutex<AsyncStream<Void>.Continuation?>(nil)
    let pause: @Sendable (Duration) async throws -> Void = { duration in
      let (opening, opener) = AsyncStream<Void>.makeStream()
      gate.withLock { $0 = opener }
      pausing.yield(duration)
      for await _ in opening {}
    }
    var script = ScriptedNode.Script()
    script.quietUntil = SampleValues.now + 30_000
    try await run([Self.asked()], script: script, pause: pause) { node, _, deeds in
      var waits = pauses.makeAsyncIterator()
      #expect(await waits.next() == .seconds(31))
      #expect(node.inputs(of: Endpoints.setPosition).isEmpty)
      node.script.withLock { $0.quietUntil = nil }
      gate.withLock { $0?.finish() }
      let shown = try await next(&deeds)
      #expect(shown.title == "Emma asks")
      // Until the day is over, it is looked after.
      #expect(await waits.next() == .seconds(60))
    }
  }

  @Test("Another notification service shows again what waits; what none has shown is not told yet")
  func replaced() async throws {
    let desktop = FakeDesktop()
    desktop.leave()
    try await run([Self.asked()], on: desktop) { node, _, deeds in
      var calls = node.arrivals.makeAsyncIterator()
      while await calls.next() != .ask(Endpoints.getRequests, nil) {}
      desktop.comeBack()
      let shown = try await next(&deeds)
      while await calls.next() != .ask(Endpoints.setPosition, ("desktop", ReceiverPosition(position: 2))) {}
      desktop.comeBack()
      let again = try await next(&deeds)
      #expect(again == shown)
    }
  }
}
