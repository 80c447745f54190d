import Glibc
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyControl

/// Every request of the local API through the client, the socket and the server.
@Suite struct RouteTests {
  /// Sends a request, and checks that the node received the same request and the caller the same answer.
  private func trip<Answer: Equatable & Sendable>(
    _ call: ScriptedNode.Call, _ expected: Answer,
    _ ask: @Sendable (ControlClient) async throws -> Answer
  ) async throws {
    var script = ScriptedNode.Script()
    script.pairingChanges = [SampleValues.pairing]
    script.installed = [SampleValues.installed]
    let node = ScriptedNode(script)
    try await ServedNode.with(node) { served in
      let answer = try await ask(served.client)
      #expect(answer == expected)
    }
    #expect(node.calls == [call])
  }

  private let name = "Emma's PC / ünï ?&=#%2F"

  @Test func aNodesState() async throws {
    try await trip(.status, SampleValues.status) { try await $0.status() }
    try await trip(.settings, SampleValues.settings) { try await $0.settings() }
    let apps = [ChildApps(child: SampleValues.child, apps: [SampleValues.listing])]
    try await trip(.apps(nil), apps) { try await $0.apps(ofChild: nil) }
    try await trip(.apps(name), apps) { try await $0.apps(ofChild: name) }
    try await trip(.installedApps(nil, number: nil), [SampleValues.installed]) {
      try await $0.installedApps(device: nil, number: nil)
    }
    try await trip(.installedApps(name, number: .max), [SampleValues.installed]) {
      try await $0.installedApps(device: name, number: .max)
    }
    let change = RuleRequest([.init("family/zone", "UTC"), .init("limits/daily", nil)])
    try await trip(.setSettings(change), FamilyEdit(rules: SampleValues.settings, commands: [SampleValues.command])) {
      try await $0.setSettings(change)
    }
    let grant = GrantRequest(minutes: 30, app: SampleValues.app("org.gnome.Chess"))
    try await trip(.grant(name, grant), RuleEdit(rules: SampleValues.rules, commands: [SampleValues.command])) {
      try await $0.grant(toChild: name, grant)
    }
  }

  @Test func children() async throws {
    let (child, request) = (SampleValues.child, ChildNameRequest(name: "Emma ü"))
    let account = AccountRequest(device: name, account: "emma", child: nil)
    try await trip(.children, [child]) { try await $0.children() }
    try await trip(.addChild(request), child) { try await $0.addChild(request) }
    try await trip(.renameChild(name, request), child) { try await $0.renameChild(name, request) }
    try await trip(.removeChild(name), child) { try await $0.removeChild(name) }
    try await trip(.conditions, SampleValues.conditions) { try await $0.conditions() }
    try await trip(.accounts(nil), SampleValues.accounts) { try await $0.accounts(device: nil) }
    try await trip(.accounts(name), SampleValues.accounts) { try await $0.accounts(device: name) }
    try await trip(.waitForAccounts(name), SampleValues.accounts) { try await $0.waitForAccounts(device: name) }
    let rules = RuleRequest([.init("limits/daily", "90"), .init("lock", nil)])
    let edit = RuleEdit(rules: SampleValues.rules, commands: [SampleValues.command])
    try await trip(.rules(nil), SampleValues.rules) { try await $0.rules(ofChild: nil) }
    try await trip(.rules(name), SampleValues.rules) { try await $0.rules(ofChild: name) }
    try await trip(.setRules(name, rules), edit) { try await $0.setRules(ofChild: name, rules) }
    try await trip(.assignAccount(account), SampleValues.accounts[0]) { try await $0.assignAccount(account) }
  }

  @Test func requests() async throws {
    let asked = AskRequest(child: name, minutes: 30, category: .reward, reason: "ünï")
    try await trip(.requests("Emma"), SampleValues.requests) { try await $0.requests(ofChild: "Emma") }
    try await trip(.ask(asked), SampleValues.requests[0]) { try await $0.ask(asked) }
    let app = AskRequest(minutes: nil, appID: SampleValues.app("org.gnome.Chess"))
    try await trip(.ask(app), SampleValues.requests[0]) { try await $0.ask(app) }
    for answer in [
      AnswerRequest(request: "3f3f", isApproved: true, minutes: 20, word: "ünï"),
      AnswerRequest(request: nil, isApproved: false),
    ] {
      try await trip(.answerRequest(answer), SampleValues.requests[1]) { try await $0.answerRequest(answer) }
    }
  }

  @Test func points() async throws {
    try await trip(.points(name, limit: 3), SampleValues.points) { try await $0.points(ofChild: name, limit: 3) }
    let more = PointsAdjustment(child: name, milliPoints: 50_000, reason: "ünï")
    try await trip(
      .adjustPoints(more),
      PointsAdjusted(points: SampleValues.points, milliPoints: 50_000, asked: 0, commands: [])
    ) { try await $0.adjustPoints(more) }
    let review = PointsReview(record: "5a5a", isApproved: false)
    try await trip(.reviewPoints(review), SampleValues.command) { try await $0.reviewPoints(review) }
    let redemption = PointsRedemption(milliPoints: 20_000)
    try await trip(.redeemPoints(redemption), SampleValues.redeemed) { try await $0.redeemPoints(redemption) }
    let refund = PointsRedemption(child: "Emma")
    try await trip(.refundPoints(refund), SampleValues.redeemed) { try await $0.refundPoints(refund) }
  }

  @Test func requestsThatCannotBe() async throws {
    let faults: [String?] = [
      AskRequest(minutes: 0).textFault, AskRequest(minutes: 1_441).textFault, AskRequest(minutes: nil).textFault,
      AskRequest(minutes: 5, appID: SampleValues.app("a"), category: .reward).textFault,
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
    #expect(AskRequest(minutes: 5, appID: SampleValues.app("a")).textFault == nil)
    #expect(AnswerRequest(request: nil, isApproved: true).textFault == nil)
    #expect(PointsRedemption().textFault == nil)
  }

  @Test func devices() async throws {
    try await trip(.devices, [SampleValues.peer]) { try await $0.devices() }
    try await trip(.nearby, SampleValues.nearby) { try await $0.nearby() }
    try await trip(.unpair(name), SampleValues.unpaired) { try await $0.unpair(device: name) }
    try await trip(.forget(name), SampleValues.unpaired) { try await $0.forget(device: name) }
    try await trip(.release(name), SampleValues.peer) { try await $0.release(device: name) }
    try await trip(.adopt(name), [AdoptedSetting]()) { try await $0.adopt(device: name) }
    let request = RenameRequest(name: "a/b", childName: "Emma")
    let renamed = RenameResult(
      deviceID: SampleValues.childID, name: DeviceName(sanitising: "a/b"), childName: "Emma", isOwn: false, untold: [],
      unassigned: ["emma"])
    try await trip(.rename(name, request), renamed) { try await $0.rename(device: name, request) }
    try await trip(.unpair(".."), SampleValues.unpaired) { try await $0.unpair(device: "..") }
  }

  @Test func whatWaits() async throws {
    let entry = SampleValues.queueEntry
    try await trip(.syncNow(nil), [SampleValues.peer]) { try await $0.syncNow(device: nil) }
    try await trip(.syncNow(name), [SampleValues.peer]) { try await $0.syncNow(device: name) }
    try await trip(.queue(nil, nil, limit: 7), [entry]) { try await $0.queue(device: nil, streamClass: nil, limit: 7) }
    try await trip(.queue(name, .usage, limit: 9), [entry]) {
      try await $0.queue(device: name, streamClass: .usage, limit: 9)
    }
    try await trip(.queueEntry(name, .receipt, .max), entry) {
      try await $0.queueEntry(device: name, streamClass: .receipt, number: .max)
    }
  }

  @Test func pairings() async throws {
    let pairing = SampleValues.pairing
    let invite = InviteRequest(minutes: 7, childName: "Emma", acceptWithoutAsking: true)
    let join = JoinRequest(code: "lk1 qq-qq", peer: "[::1]:4", acceptWithoutAsking: false)
    let answer = PairingAnswer(accept: true, attempt: 3)
    var cancelled = pairing
    (cancelled.phase, cancelled.outcome) = (.ended, .cancelled)
    try await trip(.invite(invite), pairing) { try await $0.invite(invite) }
    try await trip(.join(join), pairing) { try await $0.join(join) }
    try await trip(.pairings, [pairing]) { try await $0.pairings() }
    try await trip(.pairing("p1", after: 12), pairing) { try await $0.pairing(id: "p1", after: 12) }
    try await trip(.answerPairing("p1", answer), pairing) { try await $0.answerPairing(id: "p1", answer) }
    try await trip(.cancelPairing("p1"), cancelled) { try await $0.cancelPairing(id: "p1") }
  }

  @Test(
    arguments: [
      .requestReport, .message("line 1\nline 2 🦉"),
    ] as [CommandDraft])
  func anActionThatIsIssued(action: CommandDraft) async throws {
    let request = CommandRequest(device: name, action: action, expiresAfter: 60_000)
    try await trip(.issue(request), SampleValues.command) { try await $0.issue(request) }
  }

  @Test func commands() async throws {
    let command = SampleValues.command
    try await trip(.commands(nil, limit: 5), [command]) { try await $0.commands(device: nil, limit: 5) }
    try await trip(.commands(name, limit: 10_000), [command]) { try await $0.commands(device: name, limit: 10_000) }
    try await trip(.command("01ab"), command) { try await $0.command(id: "01ab") }
    try await trip(.waitForCommand("01ab"), command) { try await $0.waitForCommand(id: "01ab") }
    try await trip(.markMessageRead("01ab"), SampleValues.status.messages[0]) {
      try await $0.markMessageRead(id: "01ab")
    }
    try await trip(.cancelCommand("01ab"), command) { try await $0.cancelCommand(id: "01ab") }
  }

  @Test func use() async throws {
    let page = UsagePage(sessions: [SampleValues.session], next: nil)
    let full = UsageQuery(device: name, appID: "a&b=c", from: -5, to: .max, limit: 3, cursor: "a/b+c==")
    try await trip(.usage(full), page) { try await $0.usage(full) }
    try await trip(.usage(UsageQuery()), page) { try await $0.usage(UsageQuery()) }
    var start = UsageStartRequest(
      appID: "a.b", displayName: nil, processID: 7, processStartTime: .max, startedAt: BootInstant(milliseconds: 5),
      startedAtWall: 6, zone: "UTC")
    // The kernel's user ID replaces the one that the caller states.
    start.caller = 4_242
    let asked = start
    start.caller = geteuid()
    try await trip(.startUsage(start), SampleValues.started) { try await $0.startUsage(asked) }
    try await trip(.endUsage("5a"), SampleValues.record) { try await $0.endUsage(recordID: "5a") }
  }

  @Test func theDayOfAChild() async throws {
    try await trip(.today("Em ma"), SampleValues.today) { try await $0.today(ofChild: "Em ma") }
    try await trip(.ownToday(geteuid()), SampleValues.today) { try await $0.ownToday(caller: 7) }
    try await trip(.explain("Emma", "a&b", 5), SampleValues.explanation) {
      try await $0.explain(child: "Emma", app: "a&b", at: 5)
    }
    let query = UseReportQuery(child: "Emma", period: "week", from: "2026-11-01", to: nil)
    try await trip(.useReport(query), SampleValues.useReport) { try await $0.useReport(query) }
    try await ServedNode.with(ScriptedNode()) { served in
      var seen: [ChildToday] = []
      for await day in try await served.client.todayEvents(ofChild: "Emma") { seen.append(day) }
      #expect(seen == [SampleValues.today])
    }
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      var seen: [ChildNotice] = []
      for await notice in try await served.client.notices(caller: 7, after: 3) { seen.append(notice) }
      #expect(seen == [SampleValues.notice])
      #expect(node.calls.contains(.notices(geteuid(), after: 3)), "Who asks is the kernel's to say.")
    }
  }

  @Test func syncStatesComeOneByOneUntilTheNodeEndsThem() async throws {
    var script = ScriptedNode.Script()
    script.syncStates = [
      .idle, .connecting, .syncing(done: 1, total: 2), .synced(at: 5), .error(reason: "a\nb", nextTryInMilliseconds: 9),
    ]
    let expected = script.syncStates
    try await ServedNode.with(ScriptedNode(script)) { served in
      var seen: [SyncState] = []
      for await state in await served.client.syncStates() { seen.append(state) }
      #expect(seen == expected)
    }
  }
}
