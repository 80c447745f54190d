import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// Tests of a receipt's verdict on its command, for every outcome and state.
@Suite struct ReceiptVerdictTests {
  private static func device(_ byte: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: byte, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return id
  }

  private static func at(_ wall: Int64, _ counter: UInt32 = 0, by author: UInt8 = 1) -> HybridTimestamp {
    HybridTimestamp(wall: wall, counter: counter, author: device(author))
  }

  private static func rule(_ modified: HybridTimestamp, of thing: String = "thing", level: Int64 = 5) -> SampleRule {
    SampleRule(thing, level: level, modified: modified)
  }

  private static func register(_ modified: HybridTimestamp, _ value: String? = "yes") -> Register {
    Register(.family, "app/a.b/blocked", value, modified: modified)
  }

  private static func held(_ register: Register) -> StateInForce {
    StateInForce(RegistersInForce([register], .recorded))
  }

  private static let report = StateInForce.report(
    DeviceReport(version: "1", enforcement: .recorded, usageRecords: 0, registers: 0))

  private static let set = CommandPayload.sample(rule(at(10)))
  private static let remove = CommandPayload.sample(.removal(of: "thing", modified: at(10)))
  private static let edit = CommandPayload(Edit([register(at(10))]))
  private static let payloads = [set, remove, edit, .requestReport, .message("x")]

  /// The states that each payload brings about, and no other payload's.
  private static let answers: [StateInForce] = [
    .sample(rule(at(10))), .sample(.removal(of: "thing", modified: at(10))), held(register(at(10))), report,
    .messageStored,
  ]

  @Test func executedCountsWithExactlyTheStateThatWasAskedFor() {
    for (place, payload) in Self.payloads.enumerated() {
      for (answer, state) in Self.answers.enumerated() {
        let verdict = ReceiptVerdict(.executed(state), of: payload)
        #expect(
          verdict == (place == answer ? .inForce(place == 4 ? nil : .recorded) : .contradicts(state)),
          "\(payload.kind) answered by \(state)")
      }
    }
    #expect(ReceiptVerdict(.executed(.sample(Self.rule(Self.at(10)), .enforced)), of: Self.set) == .inForce(.enforced))
  }

  @Test(
    arguments: [
      .sample(rule(at(10), level: 6)), .sample(rule(at(11))), .sample(rule(at(9))), .sample(rule(at(10, 1))),
      .sample(rule(at(10, by: 2))), .sample(rule(at(10), of: "other")),
      .sample(.removal(of: "thing", modified: at(10))),
    ] as [StateInForce])
  func executedWithAnythingElseContradictsARule(state: StateInForce) {
    #expect(ReceiptVerdict(.executed(state), of: Self.set) == .contradicts(state))
  }

  @Test(
    arguments: [
      held(register(at(10), "no")), held(register(at(10), nil)), held(register(at(9))), held(register(at(10, by: 0))),
      held(Register(.family, "app/a.b/limit", "yes", modified: at(10))),
    ] as [StateInForce])
  func executedWithAnythingElseContradictsAnEdit(state: StateInForce) {
    // A value that is not greater, a deletion, an older edit, another place: the register is not held.
    #expect(ReceiptVerdict(.executed(state), of: Self.edit) == .contradicts(state))
    #expect(ReceiptVerdict(.superseded(state), of: Self.edit) == .contradicts(state))
  }

  @Test(
    arguments: [
      (set, .sample(rule(at(11))), true), (set, .sample(rule(at(10, 1))), true),
      (set, .sample(rule(at(10, by: 2))), true), (set, .sample(rule(at(10))), false),
      (set, .sample(rule(at(9))), false), (set, .sample(rule(at(11), of: "other")), false),
      (set, .sample(.removal(of: "thing", modified: at(11))), true),
      (set, .sample(.removal(of: "thing", modified: at(10))), false),
      (set, .sample(.removal(of: "other", modified: at(11))), false),
      (set, held(register(at(11))), false), (set, .messageStored, false),
      (remove, .sample(rule(at(11))), true), (remove, .sample(rule(at(10))), false),
      (remove, .sample(.removal(of: "thing", modified: at(11))), true),
      (edit, held(register(at(11), "no")), true), (edit, held(register(at(10, by: 2), nil)), true),
      (edit, held(register(at(10))), false), (edit, .sample(rule(at(11))), false),
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

  @Test(arguments: [
    (Int64(0), Int64(0), true), (86_400_000, 0, true), (86_400_001, 0, false), (5, -86_399_995, true),
    (5, -86_399_996, false), (HybridTimestamp.wallLimit - 1, Int64.max, true), (HybridTimestamp.wallLimit, .max, false),
    (.max, .max, false), (-1, 0, false), (.min, .min, false), (0, .min, false),
  ])
  func aReadingMoreThanADayAheadIsNeverTaken(reading: Int64, wall: Int64, isTaken: Bool) {
    #expect(HybridTimestamp.mayWitness(reading, at: wall) == isTaken)
  }
}
