import Foundation
import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// Tests that the OpenAPI document is current and describes the transmitted values.
///
/// `Tools/generate-openapi` sets LATCHKEY_WRITE_OPENAPI=1, which writes the document.
@Suite struct OpenAPITests {
  @Test func theDocumentIsThePresentOne() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Protocol/local-api.json")
    let text = try OpenAPIDocument.text()
    if ProcessInfo.processInfo.environment["LATCHKEY_WRITE_OPENAPI"] == "1" { try Data(text.utf8).write(to: file) }
    let kept = try? String(contentsOf: file, encoding: .utf8)
    #expect(text == kept, "Protocol/local-api.json is not the present one: run Tools/generate-openapi")
  }

  @Test func everyEndpointHasANameOfItsOwn() {
    let names = Endpoints.all.map(\.route.operationID)
    #expect(Set(names).count == names.count, "\(names)")
  }

  @Test("A value is encoded as the document states, and as it is decoded")
  func values() throws {
    try check(SampleValues.status)
    try check(SampleValues.peer)
    try check(SampleValues.nearby)
    try check(SampleValues.unpaired)
    try check(SampleValues.pairing)
    try check(SampleValues.command)
    try check(SampleValues.listing)
    try check(SampleValues.settings)
    try check(SampleValues.started)
    try check(SampleValues.record)
    try check(UsagePage(sessions: [SampleValues.session], next: "1-2"))
    try check(NearbyInvitations(change: 1, invitations: [.init(prefix: "7K", addresses: ["[fe80::1%2]:4"])]))
    try check(SampleValues.requests[1])
    try check(SampleValues.points)
    try check(SampleValues.today)
    try check(Phrase(one: "{count} day of {name}", other: "{count} days of {name}", count: 2, ["name": "Emma"]))
    try check(SampleValues.redeemed)
    try check(AskRequest(minutes: 5))
    try check(AnswerRequest(request: nil, isApproved: true))
    try check(PointsAdjustment(child: "Emma", milliPoints: -5, reason: "x"))
    try check(PointsRedemption(milliPoints: 5))
    try check(LocalAPIError(.storage, "The disk is full: make room."))
    try check(InviteRequest(minutes: 5, childName: "Emma"))
    try check(JoinRequest(code: "N5-7Q2MN-43"))
    try check(PairingAnswer(accept: true, attempt: 1))
    try check(CommandRequest(device: "Emma's PC", action: .requestReport))
    try check(CommandRequest(device: "Emma's PC", action: .message("Dinner is ready"), expiresAfter: 60_000))
    try check(RuleRequest([.init("family/zone", "UTC"), .init("limits/daily", nil)]))
    try check(RuleRequest([], app: "chess", isReset: true))
    try check(GrantRequest(minutes: 30, category: .reward))
    try check(ChildApps(child: SampleValues.child, apps: [SampleValues.listing]))
    try check(
      UsageStartRequest(
        appID: "a", displayName: "A", processID: 1, processStartTime: .max, startedAt: BootInstant(milliseconds: 3),
        startedAtWall: 4, zone: "UTC"))
  }

  @Test(
    "A choice is encoded with the determining member and the members of its case",
    arguments: [
      .idle, .connecting, .syncing(done: 1, total: .max), .synced(at: 5),
      .error(reason: "a\nb", nextTryInMilliseconds: 9),
      .error(reason: "a", nextTryInMilliseconds: nil),
    ] as [SyncState])
  func syncStates(state: SyncState) throws { try check(state) }

  @Test func itemsOfEveryKind() throws {
    let receipt = CommandReceipt(commandID: SampleValues.commandID, outcome: .expired, at: 1)
    let loss = UsageLoss(
      lossID: SampleValues.recordID, device: SampleValues.childID, records: 1, sessions: 2, activeMilliseconds: 3,
      earnedMilliPoints: 4, firstStart: 5, lastEnd: 6)
    let contents: [QueueEntry.Content] = [
      .command(SampleValues.command), .receipt(receipt), .usage(SampleValues.record), .loss(loss), .control,
      .unreadable,
    ]
    for content in contents {
      var entry = SampleValues.queueEntry
      entry.content = content
      try check(entry)
    }
  }

  @Test func whatIsNotAsTheDocumentSaysIsSeen() throws {
    let book = SchemaBook()
    let schema = try book.schema(of: PairingAnswer.self)
    for wrong in [["accept": true], ["accept": 1, "attempt": 1], ["accept": true, "attempt": "1"], []] as [JSONValue] {
      #expect(SchemaCheck(components: book.components).fault(in: wrong, schema) != nil, "\(wrong)")
    }
  }

  /// Compares a value's JSON with the schema of its type, and reads it again.
  private func check<Value: Codable & Equatable>(_ value: Value, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let book = SchemaBook()
    let schema = try book.schema(of: Value.self)
    let bytes = try LocalJSON.encode(value)
    let json = try LocalJSON.decode(JSONValue.self, from: bytes)
    let fault = SchemaCheck(components: book.components).fault(in: json, schema)
    #expect(fault == nil, sourceLocation: sourceLocation)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("null"), sourceLocation: sourceLocation)
    #expect(try LocalJSON.decode(Value.self, from: bytes) == value, sourceLocation: sourceLocation)
  }
}
