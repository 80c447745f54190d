import LatchkeyModel
import Testing

@testable import LatchkeyControl

/// Tests of the permitted callers, driven by the table of endpoints, which includes new ones.
@Suite struct PrincipalTests {
  /// The endpoints that accept callers other than the node's user and root.
  ///
  /// A change that opens an endpoint must be repeated here deliberately.
  private static let opened: [String: Set<Principal>] = [:]

  @Test func nothingIsOpenThatIsNotMeantToBe() {
    for route in Endpoints.all {
      #expect(route.whoMay == Self.opened[route.operationID] ?? .operators, "\(route.operationID)")
    }
    #expect(Set(Self.opened.keys).isSubset(of: Endpoints.all.map(\.operationID)))
  }

  @Test(
    "Each endpoint answers the callers that it lists, and refuses all others", arguments: Principal.allCases
  )
  func everyEndpoint(principal: Principal) async throws {
    var script = ScriptedNode.Script()
    // The node answers each request at once, and not as a refused caller is answered.
    script.error = LocalAPIError(.tooLate, "It is too late: try something else.")
    let node = ScriptedNode(script)
    let recognize: ControlResponder.Recognition = { _ in Caller(principal: principal, userID: 4_242) }
    try await ServedNode.with(node, recognize: recognize) { served in
      for route in Endpoints.all {
        let before = node.calls.count
        let (status, error) = try await served.ask(
          route.method.rawValue, try Self.target(route), body: route.takesBody ? "{}" : nil)
        if route.whoMay.contains(principal) {
          #expect(status != 403 && error?.code != .forbidden, "\(route.operationID)")
        } else {
          #expect(status == 403 && error == ControlFailure.forbidden.error, "\(route.operationID)")
          #expect(node.calls.count == before, "\(route.operationID) was done all the same")
        }
      }
    }
  }

  @Test(
    "A caller without any permission does not learn which endpoints exist",
    arguments: ["/v1/nothing", "/v1/status", "/v1/%zz", "*"])
  func strangers(target: String) async throws {
    let strangers: [Caller?] =
      [nil]
      + Principal.allCases
      .filter { principal in !Endpoints.all.contains { $0.whoMay.contains(principal) } }
      .map { Caller(principal: $0, userID: 4_242) }
    #expect(strangers.count > 1)
    for stranger in strangers {
      let recognize: ControlResponder.Recognition = { _ in stranger }
      try await ServedNode.with(ScriptedNode(), recognize: recognize) { served in
        let answer = try await served.raw("PUT \(target) HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
      }
    }
  }

  @Test(
    arguments: [
      (1_000, 1_000, .nodeUser), (0, 1_000, .root), (1_001, 1_000, .account), (.max, 1_000, .account),
      (0, 0, .nodeUser),
      (1_000, 0, .account),
    ] as [(UInt32, UInt32, Principal)])
  func callersAreKnownByTheirUserID(user: UInt32, owner: UInt32, principal: Principal) {
    let credentials = PeerCredentials(processID: 1, userID: user, groupID: 1_000)
    #expect(Caller(credentials, ofNodeOf: owner) == Caller(principal: principal, userID: user))
  }

  /// A path of the endpoint's form, with values that it reads.
  private static func target(_ route: Route) throws -> String {
    var parameters: [String: String] = [:]
    for part in route.parts {
      guard case .path(let name) = part.place, case .object(let schema) = try part.schema(SchemaBook()) else {
        continue
      }
      parameters[name] =
        switch (schema["enum"], schema["type"]) {
        case (.list(let words)?, _): if case .text(let word)? = words.first { word } else { "x" }
        case (_, "integer"?): "1"
        default: "x"
        }
    }
    return RequestTarget(segments: route.path.segments(parameters)).text
  }
}
