import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct BodyCodingTests {
  private let coding = MessageBodyCoding()

  @Test func everyBodyComesBackAsItWent() throws {
    var random = SeededRandom()
    for _ in 0..<200 {
      let command = WireSamples.command(&random)
      #expect(try coding.command(coding.encode(command)) == command, "\(random.note)")
      let receipt = WireSamples.receipt(&random)
      #expect(try coding.receipt(coding.encode(receipt)) == receipt, "\(random.note)")
      let record = Samples.usageRecord(&random)
      #expect(try coding.usageRecord(coding.encode(record)) == record, "\(random.note)")
      let state = WireSamples.state(&random)
      #expect(try coding.state(coding.encode(state)) == state, "\(random.note)")
      let registers = [Samples.register(&random), Samples.register(&random)]
      #expect(try coding.registers(coding.encode(registers)) == registers, "\(random.note)")
    }
  }

  private let id = [UInt8](repeating: 6, count: 16)
  private let author = [UInt8](repeating: 8, count: 20)

  private func command(_ kind: String, _ payload: RawMessage) -> [UInt8] {
    let head = RawMessage().adding(1, bytes: id).adding(2, bytes: author).adding(3, number: 5).adding(4, text: kind)
    return payload.bytes.isEmpty ? head.bytes : head.adding(5, message: payload).bytes
  }

  @Test func fieldsHaveTheNumbersOfTheSpecification() throws {
    let child = [UInt8](repeating: 4, count: 16)
    let time = RawMessage().adding(1, number: 9).adding(2, number: 1).adding(3, bytes: author)
    let edit = RawMessage().adding(
      1,
      message: RawMessage().adding(1, number: 2).adding(2, bytes: child).adding(3, text: "lock").adding(4, text: "on")
        .adding(5, message: time))
    let read = try coding.command(command("edit", edit))
    let device = try #require(DeviceID(bytes: author))
    let expected = CommandBody(
      commandID: try #require(CommandID(bytes: id)), author: device, createdAt: 5,
      payload: CommandPayload(
        Edit([
          Register(
            .child(try #require(ChildID(bytes: child))), "lock", "on",
            modified: HybridTimestamp(wall: 9, counter: 1, author: device))
        ])))
    #expect(read == expected)
    #expect(coding.encode(expected) == command("edit", edit))
    #expect(
      coding.encode(CommandBody(commandID: expected.commandID, author: device, createdAt: 5, payload: .requestReport))
        == command("requestReport", RawMessage()))
    let reason = ToldSentence(english: "no")
    let receipt = CommandReceipt(commandID: expected.commandID, outcome: .failed(reason: reason), at: 7)
    #expect(
      coding.encode(receipt)
        == RawMessage().adding(1, bytes: id).adding(2, number: 2).adding(3, text: "no").adding(5, number: 7).bytes)
  }

  @Test func fieldsOfLaterVersionsAreLeftOut() throws {
    let raw = RawMessage().adding(1, bytes: id).adding(2, bytes: author).adding(4, text: "message")
      .adding(5, message: RawMessage().adding(1, text: "Hi").adding(9, number: 1)).adding(80, text: "later")
    #expect(try coding.command(raw.bytes).payload == .message("Hi"))
  }

  @Test func aKindOfCommandFromALaterVersionSaysWhatToDo() {
    for payload in [RawMessage(), RawMessage().adding(1, number: 1)] {
      let fault = #expect(throws: BodyFault.self) { try coding.command(command("paintTheWall", payload)) }
      #expect(fault?.description.contains("does not know paintTheWall: update Latchkey on this machine.") == true)
    }
    for word in ["", "two words", String(repeating: "x", count: 65), "é"] {
      #expect(throws: BodyFault.self, "\(word)") { try coding.command(command(word, RawMessage())) }
    }
  }

  @Test func valuesThatTheirRulesForbidAreRefused() {
    let time = RawMessage().adding(3, bytes: author)
    let good = RawMessage().adding(1, number: 1).adding(3, text: "lock").adding(4, text: "on").adding(5, message: time)
    func edit(_ registers: RawMessage...) -> RawMessage { registers.reduce(RawMessage()) { $0.adding(1, message: $1) } }
    #expect(throws: Never.self) { try coding.command(command("edit", edit(good))) }
    let late = RawMessage().adding(1, number: UInt64(HybridTimestamp.wallLimit)).adding(3, bytes: author)
    let bad: [(String, RawMessage)] = [
      ("edit", RawMessage()),
      ("edit", edit(good, good)),
      ("edit", edit(good.adding(1, number: 4))),
      ("edit", edit(good.adding(2, bytes: [1]))),
      ("edit", edit(good.adding(1, number: 2).adding(2, bytes: author))),
      ("edit", edit(good.adding(1, number: 3).adding(2, bytes: id))),
      ("edit", edit(good.adding(3, text: ""))),
      ("edit", edit(good.adding(3, text: "a//b"))),
      ("edit", edit(good.adding(3, text: "a b"))),
      ("edit", edit(good.adding(3, text: String(repeating: "x", count: 512)))),
      ("edit", edit(good.adding(4, text: String(repeating: "x", count: 20_481)))),
      ("edit", edit(good.adding(4, text: "a\u{7}"))),
      ("edit", edit(RawMessage().adding(1, number: 1).adding(3, text: "lock").adding(4, text: "on"))),
      ("edit", edit(good.adding(5, message: late))),
      ("edit", (0..<129).reduce(RawMessage()) { $0.adding(1, message: good.adding(3, text: "key/\($1)")) }),
      ("message", RawMessage()),
      ("message", RawMessage().adding(1, text: String(repeating: "x", count: 4_097))),
      ("message", RawMessage().adding(1, bytes: [0xFF, 0xFE])),
    ]
    for (index, (kind, payload)) in bad.enumerated() {
      #expect(throws: BodyFault.self, "value \(index)") { try coding.command(command(kind, payload)) }
    }
  }

  @Test func identifiersOfAnotherSizeAreRefused() {
    for size in [0, 15, 17, 20] {
      let wrong = [UInt8](repeating: 1, count: size)
      #expect(throws: BodyFault.self) {
        try coding.command(
          RawMessage().adding(1, bytes: wrong).adding(2, bytes: author).adding(4, text: "requestReport").bytes)
      }
      #expect(throws: BodyFault.self) {
        try coding.receipt(RawMessage().adding(1, bytes: wrong).adding(2, number: 3).bytes)
      }
    }
    for size in [0, 16, 19, 21] {
      let raw = RawMessage().adding(1, bytes: id).adding(2, bytes: [UInt8](repeating: 1, count: size))
        .adding(4, text: "requestReport")
      #expect(throws: BodyFault.self) { try coding.command(raw.bytes) }
    }
  }

  @Test func receiptsNeedAnOutcomeAndExecutedOnesAState() {
    let receipt = RawMessage().adding(1, bytes: id)
    for bytes in [
      receipt.bytes, receipt.adding(2, number: 5).bytes, receipt.adding(2, number: 6).bytes,
      receipt.adding(2, number: 1).bytes,
      receipt.adding(2, number: 1).adding(4, message: RawMessage()).bytes,
      receipt.adding(2, number: 4).adding(4, message: RawMessage().adding(1, text: "later")).bytes,
    ] {
      #expect(throws: BodyFault.self) { try coding.receipt(bytes) }
    }
    #expect(throws: Never.self) { try coding.receipt(receipt.adding(2, number: 4).bytes) }
  }

  /// A reason to report may have any length; the other side must still accept it.
  @Test func reasonsAreCutToTheirLimitWhenWrittenAndRefusedBeyondItWhenRead() throws {
    let long = String(repeating: "漢", count: 20_000)
    let commandID = try #require(CommandID(bytes: id))
    let sent = ToldSentence(english: long)
    let body = coding.encode(CommandReceipt(commandID: commandID, outcome: .failed(reason: sent), at: 0))
    #expect(body.count <= Limits.itemBodyBytes)
    let raw = RawMessage().adding(1, bytes: id).adding(2, number: 2).adding(3, text: long).bytes
    #expect(throws: BodyFault.self) { try coding.receipt(raw) }
    guard case .failed(let told) = try coding.receipt(body).outcome else {
      Issue.record("the outcome changed")
      return
    }
    let reason = told.english
    #expect(reason.utf8.count <= 1_024)
    #expect(reason.utf8.count > 1_000)
    #expect(long.hasPrefix(reason))
  }

  @Test func usageThatCannotBeIsRefused() throws {
    var random = SeededRandom()
    let good = Samples.usageRecord(&random)
    let bad: [(inout UsageRecord) -> Void] = [
      { $0.displayName = "" }, { $0.sessionEnd = $0.sessionStart - 1 }, { $0.activeMilliseconds = -1 },
      { $0.milliPointsPerMinute = -1 }, { $0.earnedMilliPoints = -1 }, { $0.zone = "" },
      { $0.zone = String(repeating: "x", count: 65) },
    ]
    #expect(try coding.usageRecord(coding.encode(good)) == good)
    for change in bad {
      var record = good
      change(&record)
      #expect(record.fault != nil)
      #expect(throws: BodyFault.self) { try coding.usageRecord(coding.encode(record)) }
    }
    #expect(throws: BodyFault.self) { try coding.usageRecord(coding.encode(good) + [12 << 3, 9]) }
    // A child's ID has 16 bytes.
    var nobodys = good
    nobodys.child = nil
    #expect(throws: BodyFault.self) { try coding.usageRecord(coding.encode(nobodys) + [15 << 3 | 2, 1, 7]) }
  }

  @Test("The largest entries of each list fit one item")
  func lists() throws {
    let name = String(repeating: "n", count: 255)
    let longest = HybridTimestamp.walls.upperBound - 1
    let uses = try (0..<70).map { number in
      RunningUse(
        recordID: try #require(RecordID(bytes: [UInt8](repeating: UInt8(number), count: 16))), account: .max,
        child: ChildID(bytes: id), appID: try #require(AppID(name)), displayName: name, category: .learning,
        milliPointsPerMinute: Limits.milliPointsPerMinute.upperBound, since: longest, activeMilliseconds: longest)
    }
    let list = EntryList(uses)
    #expect(list.entries.count == RunningUse.most && list.more == 70 - RunningUse.most)
    let accounts = EntryList(
      (0..<UInt32(70)).map {
        Account(
          uid: .max - $0, name: String(repeating: "n", count: 64), fullName: name,
          statedChild: String(repeating: "n", count: 64))
      })
    #expect(accounts.entries.count == Account.most)
    for parts in [list.parts(number: .max), accounts.parts(number: .max)] {
      var part = try #require(parts.first)
      part.device = DeviceID(bytes: author)
      #expect(parts.count == 1 && coding.encode(part).count <= Limits.itemBodyBytes)
      #expect(try coding.inventory(coding.encode(part)).checked() == part)
      // Too many and duplicate entries: a second message after the first adds its entries.
      #expect(throws: BodyFault.self) { try coding.inventory(coding.encode(part) + coding.encode(part)).checked() }
    }
  }
}
