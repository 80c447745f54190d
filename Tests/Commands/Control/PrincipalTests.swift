import LatchkeyModel
import Testing

@testable import LatchkeyControl

/// Tests of the permitted callers, driven by the table of endpoints, which includes new ones.
@Suite struct PrincipalTests {
  /// The endpoints that accept callers other than the node's user and root.
  ///
  /// A change that opens an endpoint must be repeated here deliberately.
  private static let opened: [String: Set<Principal>] = Dictionary(
    uniqueKeysWithValues: [
      "get-status", "get-children", "get-children-child-today", "get-children-child-today-events", "get-me",
      "get-me-notices",
      "get-children-child-explain", "get-requests", "post-requests", "get-points", "post-points-redeem",
      "post-points-refund", "get-apps", "get-settings", "get-installed", "post-messages-command-read",
    ].map { ($0, [.nodeUser, .root, .child]) })

  /// The child whose account asks.
  private static let emma = ServedChild(
    id: SampleValues.child.childID, name: SampleValues.child.name, isOnlyOne: true)

  private static func caller(_ principal: Principal) -> Caller {
    Caller(principal: principal, userID: 4_242, child: principal == .child ? emma : nil)
  }

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
    let recognize: ControlResponder.Recognition = { _ in Self.caller(principal) }
    try await ServedNode.with(node, recognize: recognize) { served in
      for route in Endpoints.all {
        let before = node.calls.count
        let (status, error) = try await served.ask(
          route.method.rawValue, try Self.target(route), body: route.takesBody ? "{}" : nil)
        if route.whoMay.contains(principal) {
          #expect(status != 403 && error?.code != .forbidden, "\(route.operationID)")
        } else {
          let refusal = ControlFailure.forbidden(Self.caller(principal)).error
          #expect(status == 403 && error == refusal, "\(route.operationID)")
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
      .map { Self.caller($0) }
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
  func callersAreKnownByTheirUserID(user: UInt32, owner: UInt32, principal: Principal) async {
    let credentials = PeerCredentials(processID: 1, userID: user, groupID: 1_000)
    let nobodys = await Caller(credentials, ofNodeOf: owner)
    #expect(nobodys == Caller(principal: principal, userID: user))
    // An account with full access keeps it, whosever it is.
    let emmas = await Caller(credentials, ofNodeOf: owner) { $0 == user ? Self.emma : nil }
    #expect(
      emmas
        == (principal == .account
          ? Caller(principal: .child, userID: user, child: Self.emma) : Caller(principal: principal, userID: user)))
  }

  @Test("What a child asks is about itself, whether it says so or not, and never about another child")
  func aboutItself() async throws {
    let (emma, id) = (Self.emma, Self.emma.id.description)
    var script = ScriptedNode.Script()
    script.children = [SampleValues.child, Self.sibling]
    script.installed = [Self.installed]
    let node = ScriptedNode(script)
    let recognize: ControlResponder.Recognition = { _ in Self.caller(.child) }
    try await ServedNode.with(node, recognize: recognize) { served in
      let client = served.client
      #expect(try await client.children().map(\.childID) == [emma.id])
      for name in [id, emma.name.text, emma.name.text.lowercased(), String(emma.name.text.prefix(1))] {
        _ = try await client.today(ofChild: name)
        _ = try await client.todayEvents(ofChild: name)
        _ = try await client.explain(child: name, app: "game", at: nil)
        _ = try await client.points(ofChild: name, limit: 1)
        _ = try await client.apps(ofChild: name)
      }
      _ = try await client.points(ofChild: nil, limit: 1)
      _ = try await client.requests(ofChild: nil)
      _ = try await client.ask(AskRequest(child: nil, minutes: 5, reason: ""))
      _ = try await client.redeemPoints(PointsRedemption(child: nil, milliPoints: 1_000))
      _ = try await client.refundPoints(PointsRedemption(child: nil))
      let apps = try await client.apps(ofChild: nil)
      #expect(apps.flatMap(\.apps).allSatisfy { $0.matchers.isEmpty && $0.rules.isEmpty })
      #expect(try await client.settings().rules.allSatisfy { $0.key == "family/zone" })
      let installed = try await client.installedApps(device: nil, number: nil)
      #expect(installed.flatMap(\.apps).flatMap(\.settings).map(\.childName) == [emma.name])
      #expect(installed.flatMap(\.children) == [emma.id])
      let status = try await client.status()
      #expect(status.warnings.isEmpty && status.former.isEmpty && !status.peers.isEmpty)
      #expect(status.peers.allSatisfy { $0.address == nil && $0.addresses.isEmpty && $0.lastError == nil })
      let asked = node.calls
      for call in asked {
        switch call {
        case .today(let child), .explain(let child, _, _): #expect(child == id, "\(call)")
        case .points(let child, _), .apps(let child), .requests(let child): #expect(child == id, "\(call)")
        case .ask(let request): #expect(request.child == id, "\(call)")
        case .redeemPoints(let request), .refundPoints(let request): #expect(request.child == id, "\(call)")
        default: break
        }
      }

      for name in ["Tom", "T", "", Self.sibling.childID.description, emma.name.text + "x", "Emma,Tom"] {
        await Self.expectRefusal { _ = try await client.points(ofChild: name, limit: 1) }
        await Self.expectRefusal { _ = try await client.requests(ofChild: name) }
        await Self.expectRefusal { _ = try await client.apps(ofChild: name) }
        if name.isEmpty { continue }
        await Self.expectRefusal { _ = try await client.ask(AskRequest(child: name, minutes: 5, reason: "")) }
        await Self.expectRefusal { _ = try await client.redeemPoints(PointsRedemption(child: name, milliPoints: 1)) }
        await Self.expectRefusal { _ = try await client.refundPoints(PointsRedemption(child: name)) }
        await Self.expectRefusal { _ = try await client.today(ofChild: name) }
        await Self.expectRefusal { _ = try await client.todayEvents(ofChild: name) }
        await Self.expectRefusal { _ = try await client.explain(child: name, app: "game", at: nil) }
      }
      #expect(node.calls.count == asked.count, "a refused request was done all the same")
    }
  }

  @Test("A message is marked as read by the only child of a machine, and not by one of several")
  func messages() async throws {
    let id = SampleValues.command.commandID.description
    for isOnlyOne in [true, false] {
      var caller = Self.caller(.child)
      caller.child?.isOnlyOne = isOnlyOne
      let asker = caller
      let node = ScriptedNode()
      let recognize: ControlResponder.Recognition = { _ in asker }
      try await ServedNode.with(node, recognize: recognize) { served in
        let (status, _) = try await served.ask("POST", "/v1/messages/\(id)/read")
        #expect((status == 403) != isOnlyOne)
        #expect(node.calls.contains(.markMessageRead(id)) == isOnlyOne)
      }
    }
  }

  @Test("An account has a limited number of connections at the same time, which others have besides")
  func connections() {
    let counter = ConnectionCounter(user: 1_000)
    for _ in 0..<ConnectionCounter.most { #expect(counter.begin(4_242)) }
    #expect(!counter.begin(4_242))
    #expect(counter.begin(4_243))
    counter.end(4_242)
    #expect(counter.begin(4_242))
    #expect(!counter.begin(4_242))
  }

  private static func expectRefusal(_ ask: () async throws -> Void) async {
    await #expect(throws: ControlFailure.ofAnotherChild.error) { try await ask() }
  }

  /// Another child of the machine.
  private static var sibling: ChildListing {
    var tom = SampleValues.child
    if let id = ChildID(bytes: [UInt8](repeating: 7, count: 16)), let name = try? DeviceName("Tom") {
      (tom.childID, tom.name) = (id, name)
    }
    return tom
  }

  /// What both children's machine has found on itself.
  private static var installed: InstalledListing {
    InstalledListing(
      deviceID: SampleValues.peer.device.deviceID, deviceName: SampleValues.peer.device.name,
      children: [emma.id, sibling.childID], toldAt: 1, number: 1, more: 0,
      apps: [
        InstalledListing.App(
          appID: SampleValues.listing.appID, displayName: "A game", version: "1", suggestion: nil,
          settings: [.init(childName: emma.name), .init(childName: sibling.name, isBlocked: true)])
      ])
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
        default: name == "child" ? emma.name.text : "x"
        }
    }
    return RequestTarget(segments: route.path.segments(parameters)).text
  }
}
