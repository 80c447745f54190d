import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Texts in requests to the local API: what breaks its rule never reaches the node, and the answer
/// names the field.
@Suite struct HostileTextTests {
  /// A text field of a request: its rule, and the request with a text in it.
  struct Field: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let target: String
    let rule: TextRule
    let body: @Sendable (String) -> any Encodable & Sendable
  }

  private static func command(_ action: CommandDraft) -> CommandRequest {
    CommandRequest(device: "Emma's PC", action: action)
  }

  private static func use(app: String = "a", name: String? = nil, zone: String = "UTC") -> UsageStartRequest {
    UsageStartRequest(
      appID: app, displayName: name, processID: 1, processStartTime: 2, startedAt: BootInstant(milliseconds: 3),
      startedAtWall: 4, zone: zone)
  }

  static let fields = [
    Field(testDescription: "message", target: "/v1/commands", rule: .message) { command(.message($0)) },
    Field(testDescription: "rule", target: "/v1/settings", rule: .registerValue) {
      RuleRequest([.init("family/zone", $0)])
    },
    Field(testDescription: "child's name", target: "/v1/pairing/invitations", rule: .deviceName) {
      InviteRequest(childName: $0)
    },
    Field(testDescription: "use: application ID", target: "/v1/usage/sessions", rule: .appID) { use(app: $0) },
    Field(testDescription: "use: display name", target: "/v1/usage/sessions", rule: .displayName) { use(name: $0) },
    Field(testDescription: "use: zone", target: "/v1/usage/sessions", rule: .zone) { use(zone: $0) },
  ]

  @Test(
    "A text that violates its rule is answered with 400 and the field's name; a valid text reaches the node",
    arguments: fields)
  func everyField(field: Field) async throws {
    var random = SeededRandom()
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      var taken = 0
      for _ in 0..<40 {
        let text = HostileText.text(random.once(in: 10) ? 4_200 : 12, &random)
        let body = String(decoding: try JSONEncoder().encode(field.body(text)), as: UTF8.self)
        let (status, error) = try await served.ask("POST", field.target, body: body)
        if let fault = field.rule.fault(in: text) {
          #expect(status == 400 && error?.code == .invalid, "\(random.note)")
          #expect(error?.message == fault, "\(random.note)")
        } else {
          #expect([200, 201].contains(status), "\(text.unicodeScalars.map(\.value)) \(random.note)")
          taken += 1
        }
        #expect(node.calls.count == taken, "\(random.note)")
      }
    }
  }

  @Test(
    "Texts in paths and queries are checked by the same rules", arguments: ["\0", "\u{1B}", "\u{202E}", "\u{85}", "\n"])
  func paths(text: String) {
    let encoded = PercentCoding.encode("a" + text)
    for target in ["/v1/devices/\(encoded)/forget", "/v1/apps?child=\(encoded)", "/v1/commands/\(encoded)/wait"] {
      do {
        _ = try RequestTarget(checking: target)
        Issue.record("\(target) was taken")
      } catch {
        #expect(error.status == 400 && error.error.message.contains("U+"), "\(error)")
      }
    }
  }

  @Test("A body that is not UTF-8 is refused as invalid JSON", arguments: HostileText.bytes)
  func noUTF8(bytes: [UInt8]) async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      let body =
        Array("{\"device\":\"x\",\"kind\":\"message\",\"payload\":{\"text\":\"".utf8) + bytes + Array("\"}}".utf8)
      let (status, answer) = try await ControlConnection.exchange(
        ControlDoor(stateFolder: served.folder), method: "POST", target: "/v1/commands", body: body)
      #expect(status == 400)
      #expect(try LocalJSON.decode(LocalAPIError.self, from: answer).code == .invalid)
    }
    #expect(node.calls.isEmpty)
  }
}
