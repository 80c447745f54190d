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

  private static func at(_ wall: Int64, _ counter: UInt32 = 0, by author: UInt8 = 1) -> HybridTimestamp {
    HybridTimestamp(wall: wall, counter: counter, author: device(author))
  }

  private static func register(_ modified: HybridTimestamp, _ value: String? = "yes") -> Register {
    Register(.family, "app/a.b/blocked", value, modified: modified)
  }

  private static func held(_ register: Register) -> StateInForce {
    StateInForce(RegistersInForce([register], .recorded))
  }

  private static let report = StateInForce.report(
    DeviceReport(version: "1", enforcement: .recorded, usageRecords: 0, registers: 0))

  private static let edit = CommandPayload(Edit([register(at(10))]))
  private static let payloads = [edit, .requestReport, .message("x")]

  /// For each payload, the state that it brings about and that no other payload does.
  private static let answers: [StateInForce] = [held(register(at(10))), report, .messageStored]

  @Test func executedCountsWithExactlyTheStateThatWasAskedFor() {
    for (place, payload) in Self.payloads.enumerated() {
      for (answer, state) in Self.answers.enumerated() {
        let verdict = ReceiptVerdict(.executed(state), of: payload)
        #expect(
          verdict == (place == answer ? .inForce(place == 2 ? nil : .recorded) : .contradicts(state)),
          "\(payload.kind) answered by \(state)")
      }
    }
    let enforced = StateInForce(RegistersInForce([Self.register(Self.at(10))], .enforced))
    #expect(ReceiptVerdict(.executed(enforced), of: Self.edit) == .inForce(.enforced))
  }

  @Test(
    arguments: [
      held(register(at(10), "no")), held(register(at(10), nil)), held(register(at(9))), held(register(at(10, by: 0))),
      held(Register(.family, "app/a.b/limit", "yes", modified: at(10))),
    ] as [StateInForce])
  func executedWithAnythingElseContradictsAnEdit(state: StateInForce) {
    // A value that is not greater, a deletion, an older edit, another place: the register is not
    // held.
    #expect(ReceiptVerdict(.executed(state), of: Self.edit) == .contradicts(state))
    #expect(ReceiptVerdict(.superseded(state), of: Self.edit) == .contradicts(state))
  }

  @Test(
    arguments: [
      (edit, held(register(at(11), "no")), true), (edit, held(register(at(10, by: 2), nil)), true),
      (edit, held(register(at(10))), false), (edit, .messageStored, false),
      (.requestReport, report, false), (.message("x"), .messageStored, false),
    ] as [(CommandPayload, StateInForce, Bool)])
  func supersededCountsWithALaterStateOfTheSameThing(payload: CommandPayload, state: StateInForce, isLater: Bool) {
    #expect(ReceiptVerdict(.superseded(state), of: payload) == (isLater ? .overtaken(state) : .contradicts(state)))
  }

  @Test func aPlainAnswerIsJudgedAsItIsWithTheCommand() {
    #expect(TextMessage.hasPlainAnswer && !Edit.hasPlainAnswer && !RequestReport.hasPlainAnswer)
    let outcomes: [CommandReceipt.Outcome] =
      Self.answers.flatMap { [.executed($0), .superseded($0)] }
      + [.superseded(nil), .failed(reason: "No."), .expired, .underWay(waitsFor: "it")]
    for outcome in outcomes {
      #expect(ReceiptVerdict(plain: outcome) == ReceiptVerdict(outcome, of: .message("x")), "\(outcome)")
    }
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
