import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the permitted callers, driven by the table of endpoints, which includes new ones.
@Suite struct PrincipalTests {
  /// The endpoints that accept callers other than the node's user and root.
  ///
  /// A change that opens an endpoint must be repeated here deliberately.
  private static let opened: [String: Set<Principal>] = Dictionary(
    uniqueKeysWithValues: [
      "get-children-child-explain", "get-apps", "get-settings", "get-installed",
    ].map { ($0, Set<Principal>.operatorsAndChild.union(looking)) }
      + [
        "post-requests", "post-points-redeem", "post-points-refund", "get-usage-apps-app", "post-messages-command-read",
      ]
      .map { ($0, .operatorsAndChild) }
      + ["get-status", "get-children", "get-children-child-today", "get-events", "get-requests", "get-points"].map {
        ($0, [.nodeUser, .root, .child, .integration, .browser, .lookingBrowser])
      }
      + ["get-notices", "post-receivers-receiver-position", "post-receivers-receiver-state"].map {
        ($0, [.nodeUser, .root, .integration])
      }
      + ["post-requests-answer", "post-rules", "post-rules-grant", "post-points-adjust"].map {
        ($0, [.nodeUser, .root, .integration, .browser])
      }
      + [
        "get-refused", "get-commands", "get-commands-command", "get-commands-command-wait", "get-commands-wait",
        "get-queue", "get-queue-device-class-number", "get-devices", "get-conditions", "get-accounts", "get-rules",
        "get-children-child-report", "get-sync", "get-audit",
      ].map { ($0, Set<Principal>.operators.union(looking)) }
      + ["post-commands", "delete-commands-command", "post-points-review", "post-settings", "post-sync"].map {
        ($0, [.nodeUser, .root, .browser])
      }
      + ["post-browser-seen", "delete-browser"].map { ($0, looking) }
      + ["get-me", "get-me-notices", "get-me-present", "post-me-present"].map {
        ($0, [.nodeUser, .root, .child, .sharedAccount])
      })

  /// Browsers that a parent has let in, with either right.
  private static let looking: Set<Principal> = [.browser, .lookingBrowser]

  /// The child whose account asks.
  private static let emma = ServedChild(
    id: SampleValues.child.childID, name: SampleValues.child.name, isOnlyOne: true)

  private static func caller(_ principal: Principal) -> Caller {
    Caller(principal: principal, userID: 4_242, child: principal == .child ? emma : nil)
  }

  @Test func nothingIsOpenThatIsNotMeantToBe() {
    for route in Endpoints.all.map(\.route) {
      #expect(route.whoMay == Self.opened[route.operationID] ?? .operators, "\(route.operationID)")
    }
    #expect(Set(Self.opened.keys).isSubset(of: Endpoints.all.map(\.route.operationID)))
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
      for route in Endpoints.all.map(\.route) {
        let before = node.calls.count
        let (status, error) = try await served.ask(
          route.method.rawValue, Self.target(route), body: route.takesBody ? "{}" : nil)
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

  @Test("A browser that only looks changes nothing, and none pairs, erases, or lets another one in")
  func browsers() {
    for route in Endpoints.all.map(\.route) where route.operationID != "post-browser-seen" {
      if route.whoMay.contains(.lookingBrowser) {
        #expect(route.method == .get || route.operationID == "delete-browser", "\(route.operationID)")
        #expect(route.whoMay.contains(.browser), "\(route.operationID)")
      }
      let names = route.path.names
      if names.contains("pairing") || names.contains("receivers") || names.contains("browsers")
        || names == ["v1", "usage"]
        || (route.method != .get
          && (names.contains("devices") || names.contains("children") || names.contains("accounts")))
      {
        #expect(!route.whoMay.contains(.browser), "\(route.operationID)")
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
      .filter { principal in !Endpoints.all.contains { $0.route.whoMay.contains(principal) } }
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
    // What is shared is nobody's alone, until somebody says who is there.
    let shared = await Caller(credentials, ofNodeOf: owner, isShared: { $0 == user })
    #expect(shared == Caller(principal: principal == .account ? .sharedAccount : principal, userID: user))
  }

  @Test("What a child asks is about itself, whether it says so or not, and never about another child")
  func aboutItself() async throws {
    try await HomeNode.with(children: ["Emma", "Tom"]) { home in
      let (emma, tom) = (home.children[0], home.children[1])
      let own = ServedChild(id: emma, name: DeviceName(sanitising: "Emma"), isOnlyOne: false)
      let child = Caller(principal: .child, userID: 4_242, child: own)
      let recognize: ControlResponder.Recognition = { _ in child }
      try await ServedNode.with({ home.node($0) }, in: home.folder, recognize: recognize) { served in
        let client = served.client
        #expect(try await client.ask(Endpoints.getChildren).map(\.childID) == [emma])
        for name in [emma.description, "Emma", "emma", "E"] {
          #expect(try await client.ask(Endpoints.getToday, name).childID == emma)
          #expect(try await client.ask(Endpoints.getExplanation, (name, "game", nil)).name.text == "Emma")
          #expect(try await client.ask(Endpoints.getPoints, (name, 1)).childName.text == "Emma")
          #expect(try await client.ask(Endpoints.getApps, name).compactMap(\.child).map(\.childID) == [emma])
        }
        #expect(try await client.ask(Endpoints.getPoints, (nil, 1)).childName.text == "Emma")
        #expect(try await client.ask(Endpoints.getRequests, nil).isEmpty)
        let apps = try await client.ask(Endpoints.getApps, nil)
        #expect(apps.compactMap(\.child).map(\.childID) == [emma])
        #expect(apps.flatMap(\.apps).map(\.appID.text) == ["game"])
        #expect(apps.flatMap(\.apps).allSatisfy { $0.matchers.isEmpty && $0.rules.isEmpty })
        #expect(try await client.ask(Endpoints.getSettings).rules.map(\.key.text) == ["family/zone"])
        let installed = try await client.ask(Endpoints.getInstalled, (nil, nil))
        #expect(installed.flatMap(\.children) == [emma])
        let status = try await client.ask(Endpoints.getStatus)
        #expect(status.warnings.isEmpty && status.former.isEmpty)

        for name in ["Tom", "T", "", tom.description, "Emmax", "Emma,Tom"] {
          await Self.expectRefusal { _ = try await client.ask(Endpoints.getPoints, (name, 1)) }
          await Self.expectRefusal { _ = try await client.ask(Endpoints.getRequests, name) }
          await Self.expectRefusal { _ = try await client.ask(Endpoints.getApps, name) }
          if name.isEmpty { continue }
          await Self.expectRefusal {
            _ = try await client.ask(Endpoints.ask, AskRequest(child: name, minutes: 5, reason: ""))
          }
          let redemption = PointsRedemption(child: name, milliPoints: 1)
          await Self.expectRefusal { _ = try await client.ask(Endpoints.redeemPoints, redemption) }
          await Self.expectRefusal { _ = try await client.ask(Endpoints.refundPoints, PointsRedemption(child: name)) }
          await Self.expectRefusal { _ = try await client.ask(Endpoints.getToday, name) }
          await Self.expectRefusal { _ = try await client.ask(Endpoints.getExplanation, (name, "game", nil)) }
        }
      }
    }
  }

  @Test("Of other machines a child sees that they are there, and neither their addresses nor what is wrong with them")
  func status() {
    let shown = SampleValues.status.shown(running: [])
    #expect(shown.warnings.isEmpty && shown.former.isEmpty && !shown.peers.isEmpty && shown.running.isEmpty)
    #expect(shown.peers.allSatisfy { $0.address == nil && $0.addresses.isEmpty && $0.lastError == nil })
  }

  @Test("Of what is installed a child sees what is set for itself")
  func installed() {
    let shown = Self.installed.shown(to: Self.emma)
    #expect(shown.apps.flatMap(\.settings).map(\.childName) == [Self.emma.name])
    #expect(shown.children == [Self.emma.id])
  }

  @Test("A message is marked as read by the only child of a machine, and not by one of several")
  func messages() async throws {
    let id = SampleValues.command.commandID.description
    try await HomeNode.with(children: ["Emma"]) { home in
      for isOnlyOne in [true, false] {
        let own = ServedChild(id: home.children[0], name: DeviceName(sanitising: "Emma"), isOnlyOne: isOnlyOne)
        let node = home.node(Caller(principal: .child, userID: 4_242, child: own))
        do throws(LocalAPIError) {
          _ = try await node.ask(Endpoints.markMessageRead, id)
          Issue.record("There is no such message.")
        } catch { #expect(error.code == (isOnlyOne ? .unknownItem : .forbidden)) }
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
  private static func target(_ route: Route) -> String {
    var parameters: [String: String] = [:]
    for part in route.parts {
      guard case .path(let name) = part.place else { continue }
      parameters[name] =
        switch part.shape {
        case .words(let words): words.first
        case .integer: "1"
        default: name == "child" ? emma.name.text : "x"
        }
    }
    return RequestTarget(segments: route.path.segments(parameters)).text
  }
}
