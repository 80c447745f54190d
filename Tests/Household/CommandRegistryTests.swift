import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of the registry, with the kinds of this version and one that a later version could have.
@Suite struct CommandRegistryTests {
  /// A one-time command of a later version.
  private struct PaintTheWall: CommandDefinition {
    static let kind: CommandKind = "paintTheWall"
    var colour: UInt8

    init(colour: UInt8) { self.colour = colour }

    init(bytes: [UInt8]) throws(BodyFault) {
      guard let colour = bytes.first else { throw BodyFault("a wall without a colour") }
      self.colour = colour
    }

    var bytes: [UInt8] { [colour] }
    var summary: String { "paint the wall" }
  }

  private let later = CommandRegistry(household: [PaintTheWall.self])

  @Test("Each kind has a row in Protocol/06-messages.md, with the state in its receipt")
  func specified() throws {
    let path = URL(filePath: #filePath).appending(path: "../../../Protocol/06-messages.md").standardized
    let page = try String(contentsOf: path, encoding: .utf8)
    let rows = try #require(page.split(separator: "| `kind` | payload |").last).split(separator: "\n").dropFirst(2)
      .prefix { $0.hasPrefix("| `") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    let kinds = CommandRegistry.household.kinds
    #expect(rows.map { $0[0] }.sorted() == kinds.map { "`\($0)`" })
    for kind in kinds {
      let definition = try #require(CommandRegistry.household.definition(kind))
      let states = definition.states.isEmpty ? [Done.kind] : definition.states.map { $0.kind }
      let row = try #require(rows.first { $0[0] == "`\(kind)`" })
      #expect(states.allSatisfy { row[3].contains("`\($0)`") }, "\(kind)")
    }
  }

  @Test func onlyAReportSettlesADoubt() {
    #expect(CommandRegistry.household.settlingSetBack == [RequestReport.kind])
    #expect(later.definition("paintTheWall") != nil && CommandRegistry.household.definition("paintTheWall") == nil)
  }

  @Test(arguments: ["", "two words", "é", "a.b", String(repeating: "x", count: 65)])
  func whatIsNoWordForAKind(text: String) {
    #expect(CommandKind(rawValue: text) == nil)
  }

  @Test("A machine that does not know a kind says what to do, and its parent shows that")
  func aKindOfALaterVersion() throws {
    var random = SeededRandom(seed: 1)
    let command = CommandBody(
      commandID: Samples.commandID(&random), author: Samples.deviceID(&random), createdAt: 1,
      payload: CommandPayload(PaintTheWall(colour: 3)))
    let body = MessageBodyCoding(later).encode(command)
    #expect(try MessageBodyCoding(later).command(body) == command)
    let fault = #expect(throws: BodyFault.self) { try MessageBodyCoding().command(body) }
    let sentence = try #require(fault?.description)
    #expect(sentence.hasSuffix("does not know paintTheWall: update Latchkey on this machine."), "\(sentence)")
    let told = try #require(fault?.told)
    #expect(told.english == sentence && told.phrase != nil)
    #expect(ReceiptVerdict(.failed(reason: told), of: command.payload) == .refused(reason: told))
    #expect(ReceiptVerdict(.executed(StateInForce(Done())), of: command.payload) == .inForce(nil))
  }

  @Test("Commands, states and drafts are encoded as JSON with named members, and decoded again")
  func json() throws {
    var random = SeededRandom(seed: 2)
    let registers = (0..<3).map { _ in Samples.register(&random) }
    let payloads: [CommandPayload] = [CommandPayload(Edit(registers)), .requestReport, .message("Dinner!")]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for payload in payloads {
      let text = try encoder.encode(payload)
      #expect(try CommandRegistry.household.decoder().decode(CommandPayload.self, from: text) == payload)
      #expect(!String(decoding: text, as: UTF8.self).contains("\"_0\""))
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(CommandPayload.self, from: text) }
    }
    #expect(
      String(decoding: try encoder.encode(CommandPayload.message("a")), as: UTF8.self)
        == #"{"kind":"message","payload":{"text":"a"}}"#)
    for state in [StateInForce(RegistersInForce(registers, .enforced)), .messageStored] {
      let text = try encoder.encode(state)
      #expect(try CommandRegistry.household.decoder().decode(StateInForce.self, from: text) == state)
    }
    for draft in [CommandDraft.requestReport, .message("x")] {
      let request = CommandRequest(device: "Emma's PC", action: draft, expiresAfter: 5_000)
      let text = try encoder.encode(request)
      #expect(try CommandRegistry.household.decoder().decode(CommandRequest.self, from: text) == request)
    }
    let unknown = Data(#"{"device":"x","kind":"paintTheWall","payload":{"colour":1}}"#.utf8)
    #expect(throws: DecodingError.self) {
      try CommandRegistry.household.decoder().decode(CommandRequest.self, from: unknown)
    }
  }

  @Test func draftsAreChecked() {
    var random = SeededRandom(seed: 3)
    #expect(CommandDraft(Edit([Samples.register(&random)]), for: Edit.self).fault?.contains("routes") == true)
    #expect(CommandDraft.message("").fault != nil)
    #expect(CommandDraft.requestReport.fault == nil)
  }
}
