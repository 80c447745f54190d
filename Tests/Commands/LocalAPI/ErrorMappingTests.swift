import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Errors of the node as they reach the other side.
@Suite struct ErrorMappingTests {
  @Test(arguments: LocalAPIError.Code.allCases) func anErrorArrivesAsItWasThrown(code: LocalAPIError.Code) async throws
  {
    var script = ScriptedNode.Script()
    let thrown = LocalAPIError(code, "Something is wrong: do \u{1B} “this”.")
    script.error = thrown
    let body = "{\"minutes\":5,\"acceptWithoutAsking\":false}"
    try await ServedNode.with(ScriptedNode(script)) { served in
      await #expect(throws: thrown) { try await served.client.ask(Endpoints.deleteDevice, "x") }
      await #expect(throws: thrown) { try await served.client.ask(Endpoints.waitForCommand, "01") }
      let (status, error) = try await served.ask("POST", "/v1/pairing/invitations", body: body)
      #expect(status == Self.statuses[code])
      #expect(error == thrown)
    }
  }

  /// The table of the specification.
  private static let statuses: [LocalAPIError.Code: Int] = [
    .invalid: 400, .typo: 400, .forbidden: 403, .unknownDevice: 404, .unknownChild: 404,
    .ambiguousChild: 409, .unknownCommand: 404, .unknownPairing: 404,
    .unknownSession: 404, .unknownItem: 404, .ambiguousDevice: 409, .wrongRole: 409, .tooLate: 409, .stillRunning: 409,
    .noAgent: 503, .limit: 429,
    .internal: 500,
    .timeout: 503, .storage: 507,
  ]

  @Test func thePartsOfACallersCredentialsLieAsTheKernelWritesThem() {
    #expect(MemoryLayout<PeerCredentials>.size == 12)
    #expect(MemoryLayout<PeerCredentials>.offset(of: \.userID) == 4)
  }

  @Test(arguments: ["", "a", "a/b", "ä ö", "100%", "a+b&c=d?e#f", "🦉", "\u{0}\u{7F}", "..", "~._-"])
  func whatIsPercentEncodedComesBack(text: String) {
    let encoded = PercentCoding.encode(text)
    #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    #expect(PercentCoding.decode(encoded) == text)
    let target = RequestTarget(segments: ["v1", "x" + text], query: ["q" + text: text])
    #expect(RequestTarget(target.text) == target)
  }
}
