import LatchkeyHousehold
import LatchkeyModel
import Testing

/// Tests of a receipt's verdict on its command, for every outcome and state.
@Suite struct ReceiptVerdictTests {
  private static func device(_ byte: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return id
  }

  private static func app(_ text: String) -> AppID {
    guard let id = AppID(text) else { preconditionFailure("\(text) is an application's ID") }
    return id
  }

  private static func at(_ wall: Int64, _ counter: UInt32 = 0, by author: UInt8 = 1) -> HybridTimestamp {
    HybridTimestamp(wall: wall, counter: counter, author: device(author))
  }

  private static func rule(
    _ modified: HybridTimestamp, app: String = "a.b", isBlocked: Bool = true
  ) -> AppConfiguration {
    AppConfiguration(
      appID: Self.app(app), displayName: "A", category: .reward, milliPointsPerMinute: 5, isBlocked: isBlocked,
      modified: modified)
  }

  private static func settings(_ wall: Int64, minutes: Int = 5) -> FamilySettings {
    FamilySettings(minutesPerPoint: minutes, modified: at(wall))
  }

  private static let report = StateInForce.report(
    DeviceReport(version: "1", enforcement: .recorded, apps: [], familySettings: nil, usageRecords: 0))

  private static let set = CommandPayload.setApp(rule(at(10)))
  private static let remove = CommandPayload.removeApp(app("a.b"), modified: at(10))
  private static let family = CommandPayload.setFamilySettings(settings(10))
  private static let payloads = [set, remove, family, .requestReport, .message("x")]

  /// The states that each payload brings about, and no other payload's.
  private static let answers: [StateInForce] = [
    .app(rule(at(10)), .recorded), .appRemoved(app("a.b"), modified: at(10)), .familySettings(settings(10)), report,
    .messageStored,
  ]

  @Test func executedCountsWithExactlyTheStateThatWasAskedFor() {
    for (place, payload) in Self.payloads.enumerated() {
      for (answer, state) in Self.answers.enumerated() {
        let verdict = ReceiptVerdict(.executed(state), of: payload)
        #expect(
          verdict == (place == answer ? .inForce([0, 3].contains(place) ? .recorded : nil) : .contradicts(state)),
          "\(payload.kind) answered by \(state)")
      }
    }
    #expect(ReceiptVerdict(.executed(.app(Self.rule(Self.at(10)), .enforced)), of: Self.set) == .inForce(.enforced))
  }

  @Test(
    arguments: [
      .app(rule(at(10), isBlocked: false), .recorded), .app(rule(at(11)), .recorded), .app(rule(at(9)), .recorded),
      .app(rule(at(10, 1)), .recorded), .app(rule(at(10, by: 2)), .recorded), .app(rule(at(10), app: "c.d"), .recorded),
      .appRemoved(app("a.b"), modified: at(10)),
    ] as [StateInForce])
  func executedWithAnythingElseContradictsARule(state: StateInForce) {
    #expect(ReceiptVerdict(.executed(state), of: Self.set) == .contradicts(state))
  }

  @Test(arguments: [
    (settings(10, minutes: 6), false), (settings(11), true), (settings(9), false),
    (settings(HybridTimestamp.wallLimit - 1, minutes: 999), true),
  ])
  func familySettings(held: FamilySettings, isLater: Bool) {
    let state = StateInForce.familySettings(held)
    #expect(ReceiptVerdict(.executed(state), of: Self.family) == .contradicts(state))
    #expect(ReceiptVerdict(.superseded(state), of: Self.family) == (isLater ? .overtaken(state) : .contradicts(state)))
  }

  @Test(
    arguments: [
      (set, .app(rule(at(11)), .recorded), true), (set, .app(rule(at(10, 1)), .recorded), true),
      (set, .app(rule(at(10, by: 2)), .recorded), true), (set, .app(rule(at(10)), .recorded), false),
      (set, .app(rule(at(9)), .recorded), false), (set, .app(rule(at(11), app: "c.d"), .recorded), false),
      (set, .appRemoved(app("a.b"), modified: at(11)), true), (set, .appRemoved(app("a.b"), modified: at(10)), false),
      (set, .appRemoved(app("c.d"), modified: at(11)), false),
      (set, .familySettings(settings(11)), false), (set, .messageStored, false),
      (remove, .app(rule(at(11)), .recorded), true), (remove, .app(rule(at(10)), .recorded), false),
      (remove, .appRemoved(app("a.b"), modified: at(11)), true),
      (remove, .appRemoved(app("c.d"), modified: at(11)), false), (family, .app(rule(at(11)), .recorded), false),
      (.requestReport, report, false), (.message("x"), .messageStored, false),
    ] as [(CommandPayload, StateInForce, Bool)])
  func supersededCountsWithALaterStateOfTheSameThing(payload: CommandPayload, state: StateInForce, isLater: Bool) {
    #expect(ReceiptVerdict(.superseded(state), of: payload) == (isLater ? .overtaken(state) : .contradicts(state)))
  }

  @Test func whatHasNoState() {
    for payload in Self.payloads {
      #expect(ReceiptVerdict(.superseded(nil), of: payload) == .contradicts(nil))
      #expect(ReceiptVerdict(.failed(reason: "No."), of: payload) == .refused(reason: "No."))
      #expect(ReceiptVerdict(.expired, of: payload) == .expired)
    }
  }

  @Test func onlyWhatIsInForceIsExecuted() {
    #expect(ReceiptVerdict.inForce(nil).status == .executed)
    #expect(ReceiptVerdict.overtaken(.messageStored).status == .superseded)
    #expect(ReceiptVerdict.refused(reason: "").status == .failed)
    #expect(ReceiptVerdict.contradicts(nil).status == .failed)
    #expect(ReceiptVerdict.expired.status == .expired)
  }

  @Test func agreementDoesNotAskWhoSetItAndWhen() {
    let held = StateInForce.app(Self.rule(Self.at(99, 3, by: 7)), .enforced)
    #expect(held.agrees(with: .app(Self.rule(Self.at(1)), .recorded)))
    #expect(!held.agrees(with: .app(Self.rule(Self.at(99, 3, by: 7), isBlocked: false), .enforced)))
    let removed = StateInForce.appRemoved(Self.app("a.b"), modified: Self.at(5))
    #expect(removed.isNothing && !held.isNothing)
    #expect(!removed.agrees(with: .app(Self.rule(Self.at(5)), .recorded)))
    #expect(StateInForce.familySettings(Self.settings(4)).agrees(with: .familySettings(Self.settings(9))))
    #expect(!StateInForce.familySettings(Self.settings(4, minutes: 6)).agrees(with: .familySettings(Self.settings(4))))
    #expect(!StateInForce.messageStored.agrees(with: held))
  }

  @Test(arguments: [
    (Int64(0), Int64(0), true), (86_400_000, 0, true), (86_400_001, 0, false), (5, -86_399_995, true),
    (5, -86_399_996, false), (HybridTimestamp.wallLimit - 1, Int64.max, true), (HybridTimestamp.wallLimit, .max, false),
    (.max, .max, false), (-1, 0, false), (.min, .min, false), (0, .min, false),
  ])
  func aReadingMoreThanADayAheadIsNeverTaken(reading: Int64, wall: Int64, isTaken: Bool) {
    #expect(HybridTimestamp.mayWitness(reading, at: wall) == isTaken)
  }

  @Test(arguments: [
    (Int64.min, false), (-1, false), (0, true), (1, true), (HybridTimestamp.wallLimit - 1, true),
    (HybridTimestamp.wallLimit, false), (.max, false),
  ])
  func theFamilysRulesHaveHybridTimes(wall: Int64, isValid: Bool) {
    #expect((FamilySettings(modified: Self.at(wall)).fault == nil) == isValid)
  }

  @Test(arguments: [(Int64.min, false), (-1, false), (0, true), (1_000_000_000, true), (1_000_000_001, false)])
  func ratesOutOfBoundsAreRefusedEverywhere(rate: Int64, isValid: Bool) {
    #expect((FamilySettings(defaultMilliPointsPerMinute: rate).fault == nil) == isValid)
    var rule = Self.rule(Self.at(1))
    rule.milliPointsPerMinute = rate
    #expect((rule.fault == nil) == isValid)
  }
}
