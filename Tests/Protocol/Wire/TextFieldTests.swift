import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of every text on the wire: it arrives as it was sent, or the whole body is malformed.
@Suite struct TextFieldTests {
  private static let coding = MessageBodyCoding()
  private static let id = [UInt8](repeating: 6, count: 16)
  private static let device = [UInt8](repeating: 8, count: 20)

  /// A text field of a body, with functions that make the body with given bytes and read the text
  /// back.
  struct Field: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: TextRule
    let body: @Sendable ([UInt8]) -> [UInt8]
    let read: @Sendable ([UInt8]) throws -> String?
  }

  private static let modified = RawMessage().adding(3, bytes: device)

  private static func command(_ kind: String, _ payload: RawMessage) -> [UInt8] {
    RawMessage().adding(1, bytes: id).adding(2, bytes: device).adding(4, text: kind).adding(5, message: payload).bytes
  }

  private static func payload(_ body: [UInt8]) throws -> CommandPayload { try coding.command(body).payload }

  private static func registers(_ value: [UInt8]) -> RawMessage {
    RawMessage().adding(
      1,
      message: RawMessage().adding(1, number: 1).adding(3, text: "later").adding(4, bytes: value).adding(
        5, message: modified))
  }

  private static func usage(app: [UInt8]? = nil, name: [UInt8]? = nil, zone: [UInt8]? = nil) -> [UInt8] {
    RawMessage().adding(1, bytes: id).adding(2, bytes: device).adding(3, bytes: app ?? Array("a".utf8))
      .adding(4, bytes: name ?? Array("A".utf8)).adding(7, bytes: zone ?? Array("UTC".utf8)).adding(9, number: 1)
      .adding(12, number: 1).bytes
  }

  private static func receipt(_ kind: String, _ state: RawMessage) -> [UInt8] {
    RawMessage().adding(1, bytes: id).adding(2, number: 1)
      .adding(4, message: RawMessage().adding(1, text: kind).adding(2, message: state)).bytes
  }

  static let fields = [
    Field(testDescription: "edit: value", rule: .registerValue) {
      command("edit", registers($0))
    } read: {
      try payload($0).as(Edit.self)?.registers.first?.value
    },
    Field(testDescription: "message", rule: .message) {
      command("message", RawMessage().adding(1, bytes: $0))
    } read: {
      guard let text = try payload($0).as(TextMessage.self)?.text else { return nil }
      return text
    },
    Field(testDescription: "receipt: reason", rule: .reason) {
      RawMessage().adding(1, bytes: id).adding(2, number: 2).adding(3, bytes: $0).bytes
    } read: {
      guard case .failed(let reason) = try coding.receipt($0).outcome else { return nil }
      return reason.english
    },
    Field(testDescription: "receipt: value in force", rule: .registerValue) {
      receipt("registers", registers($0).adding(2, number: 1))
    } read: {
      try coding.receipt($0).outcome.state?.as(RegistersInForce.self)?.registers.first?.value
    },
    Field(testDescription: "receipt: version in a report", rule: .software) {
      receipt("report", RawMessage().adding(1, bytes: $0).adding(2, number: 1))
    } read: {
      guard let report = try coding.receipt($0).outcome.state?.as(DeviceReport.self) else { return nil }
      return report.version
    },
    Field(testDescription: "usage: application ID", rule: .appID) {
      usage(app: $0)
    } read: {
      try coding.usageRecord($0).appID.text
    },
    Field(testDescription: "usage: display name", rule: .displayName) {
      usage(name: $0)
    } read: {
      try coding.usageRecord($0).displayName
    },
    Field(testDescription: "usage: zone", rule: .zone) {
      usage(zone: $0)
    } read: {
      try coding.usageRecord($0).zone
    },
  ]

  @Test("A text is decoded byte for byte, or the body is malformed", arguments: fields)
  func everyText(field: Field) throws {
    var random = SeededRandom()
    for _ in 0..<400 {
      let text = HostileText.text(random.once(in: 20) ? 4_200 : 12, &random)
      let bytes = field.body(Array(text.utf8))
      if field.rule.fault(in: text) == nil {
        let read = try #require(try field.read(bytes), "\(random.note)")
        #expect(Array(read.utf8) == Array(text.utf8), "\(random.note)")
      } else {
        #expect(throws: BodyFault.self, "\(text.unicodeScalars.map(\.value)) \(random.note)") { try field.read(bytes) }
      }
    }
  }

  @Test("Bytes that are not UTF-8 make the body malformed, whatever surrounds them", arguments: fields)
  func noUTF8(field: Field) {
    for bytes in HostileText.bytes {
      #expect(throws: BodyFault.self, "\(bytes)") { try field.read(field.body(bytes)) }
      #expect(throws: BodyFault.self, "\(bytes)") { try field.read(field.body(Array("ab".utf8) + bytes)) }
    }
  }

  @Test("Names in greetings and introductions, which are shown to people, are sanitized instead")
  func names() throws {
    var random = SeededRandom()
    for _ in 0..<400 {
      let text = HostileText.text(100, &random)
      var batch = SessionBatch()
      batch.hello = WireSamples.hello(&random)
      batch.hello?.name = text
      batch.hello?.software = text
      let hello = try #require(try SessionCodec.decode(SessionCodec.encode(batch)).hello)
      #expect(TextRule.deviceName.fault(in: hello.name) == nil, "\(random.note)")
      #expect(TextRule.software.fault(in: hello.software) == nil, "\(random.note)")
    }
  }

  @Test("A reason is sanitized and truncated when it is written, so that no receipt of this software is malformed")
  func reasons() throws {
    var random = SeededRandom()
    for _ in 0..<400 {
      let text = HostileText.text(random.once(in: 5) ? 2_000 : 30, &random)
      let receipt = CommandReceipt(
        commandID: Samples.commandID(&random), outcome: .failed(reason: ToldSentence(english: text)), at: 0)
      guard case .failed(let reason) = try Self.coding.receipt(Self.coding.encode(receipt)).outcome else {
        Issue.record("the outcome changed")
        return
      }
      #expect(reason.english == TextRule.reason.cleaned(text), "\(random.note)")
    }
  }

  @Test("A notice of refused items is decoded as it was encoded, and refused beyond its limits")
  func refusals() throws {
    var random = SeededRandom()
    for _ in 0..<100 {
      let notice = RefusalNotice(
        items: (0..<random.below(5)).map { _ in
          RefusedItem(
            streamClass: random.pick(StreamClass.allCases), kind: ItemKind(rawValue: UInt32(random.below(10))),
            itemID: random.bytes(16), reason: random.pick(RefusalReason.allCases))
        }, total: Int64(random.below(1 << 40)))
      #expect(try Self.coding.refusalNotice(Self.coding.encode(notice)) == notice, "\(random.note)")
    }
    let item = RawMessage().adding(1, number: 4).adding(2, number: 3).adding(3, bytes: Self.id).adding(4, number: 99)
    #expect(
      try Self.coding.refusalNotice(RawMessage().adding(1, message: item).bytes).items.first?.reason == .unreadable)
    let full = (0..<Limits.refusalItems).reduce(RawMessage()) { message, _ in message.adding(1, message: item) }
    #expect(full.bytes.count <= Limits.itemBodyBytes)
    #expect(try Self.coding.refusalNotice(full.bytes).items.count == Limits.refusalItems)
    for bad in [
      full.adding(1, message: item), RawMessage().adding(2, number: 1 << 48),
      RawMessage().adding(1, message: RawMessage().adding(1, number: 9).adding(3, bytes: Self.id)),
      RawMessage().adding(1, message: RawMessage().adding(1, number: 4).adding(3, bytes: [1])),
    ] {
      #expect(throws: BodyFault.self) { try Self.coding.refusalNotice(bad.bytes) }
    }
  }
}
