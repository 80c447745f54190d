import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Requests through the client, the socket and the server.
///
/// A new endpoint needs no test here: its input, its output and their forms are those of its value.
@Suite struct RouteTests {
  /// Sends a request, and checks that the node received the same request and the caller the node's
  /// answer.
  private func trip<Input: Sendable, Answer: Equatable & Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input, _ expected: Answer
  ) async throws {
    var script = ScriptedNode.Script()
    script.pairingChanges = [SampleValues.pairing]
    let node = ScriptedNode(script)
    try await ServedNode.with(node) { served in
      let answer = try await served.client.ask(endpoint, input)
      #expect(answer == expected)
    }
    #expect(node.calls == [.ask(endpoint, input)])
  }

  private let name = "Emma's PC / ünï ?&=#%2F"

  @Test func aValueOfEachPartOfARequestArrivesAsItWasGiven() async throws {
    try await trip(Endpoints.deleteDevice, name, SampleValues.unpaired)
    try await trip(Endpoints.deleteDevice, "..", SampleValues.unpaired)
    try await trip(Endpoints.getQueueEntry, (name, .receipt, .max), SampleValues.queueEntry)
    try await trip(Endpoints.getQueue, (name, .usage, 9), [SampleValues.queueEntry])
    try await trip(Endpoints.getQueue, (nil, nil, 7), [SampleValues.queueEntry])
    let full = UsageQuery(device: name, appID: "a&b=c", from: -5, to: .max, limit: 3, cursor: "a/b+c==")
    let page = UsagePage(sessions: [SampleValues.session], next: nil)
    try await trip(Endpoints.getUsage, full.parts, page)
    try await trip(Endpoints.getUsage, UsageQuery().parts, page)
    try await trip(Endpoints.waitForPairing, ("p1", 12), SampleValues.pairing)
    let change = RuleRequest([.init("limits/daily", "90"), .init("lock", nil)])
    try await trip(
      Endpoints.setRules, (name, change),
      RuleEdit(
        rules: SampleValues.rules, commands: [SampleValues.command],
        machines: ScriptedNode.Script().devices.map(EditedMachine.init), app: nil, absent: []))
    for action in [.requestReport, .message("line 1\nline 2 🦉")] as [CommandDraft] {
      try await trip(
        Endpoints.issue, CommandRequest(device: name, action: action, expiresAfter: 60_000), SampleValues.command)
    }
  }

  @Test func metricsAreText() async throws {
    try await trip(Endpoints.getMetrics, (), "# HELP latchkey_peers Paired devices.\n")
    try await ServedNode.with(ScriptedNode()) { served in
      let answer = try await served.raw("GET /v1/metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      #expect(answer.lowercased().contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "\(answer)")
      #expect(answer.hasSuffix("\r\n\r\n# HELP latchkey_peers Paired devices.\n"), "\(answer)")
    }
  }

  @Test func requestsThatCannotBe() async throws {
    let faults: [String?] = [
      AskRequest(minutes: 0).textFault, AskRequest(minutes: 1_441).textFault, AskRequest(minutes: nil).textFault,
      AskRequest(minutes: 5, app: "a", category: .reward).textFault,
      AskRequest(minutes: 5, reason: "a\nb").textFault,
      AnswerRequest(request: nil, isApproved: false, minutes: 5).textFault,
      AnswerRequest(request: nil, isApproved: true, minutes: 0).textFault,
      PointsAdjustment(child: "Emma", milliPoints: 0, reason: "x").textFault,
      PointsAdjustment(child: "Emma", milliPoints: 5, reason: "").textFault,
      PointsAdjustment(child: "Emma", milliPoints: .min, reason: "x").textFault,
      PointsRedemption(milliPoints: 0).textFault, PointsRedemption(minutes: 0).textFault,
      PointsRedemption(milliPoints: 1, minutes: 1).textFault,
    ]
    for (number, fault) in faults.enumerated() { #expect(fault?.hasSuffix(".") == true, "\(number)") }
    #expect(AskRequest(minutes: 5, app: "a").textFault == nil)
    #expect(AnswerRequest(request: nil, isApproved: true).textFault == nil)
    #expect(PointsRedemption().textFault == nil)
  }

  @Test func syncStatesComeOneByOneUntilTheNodeEndsThem() async throws {
    var script = ScriptedNode.Script()
    script.syncStates = [
      .idle, .connecting, .syncing(done: 1, total: 2), .synced(at: 5), .error(reason: "a\nb", nextTryInMilliseconds: 9),
    ]
    let expected = script.syncStates
    try await ServedNode.with(ScriptedNode(script)) { served in
      var seen: [SyncState] = []
      for await state in try await served.client.ask(Endpoints.syncStates) { seen.append(state) }
      #expect(seen == expected)
    }
  }
}
