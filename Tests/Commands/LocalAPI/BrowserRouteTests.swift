import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Testing

@testable import LatchkeyNode

/// What browsers that were let in may do, at a real parent's node.
@Suite struct BrowserRouteTests {
  private static let user = Caller(principal: .nodeUser, userID: 1_000)
  private static let cookie = String(repeating: "c0", count: 24)

  /// Runs a body with a family of one child and a browser, of which the caller is given.
  private func with(
    _ right: BrowserRight, _ body: (HomeNode, Caller, BrowserListing) async throws -> Void
  ) async throws {
    try await HomeNode.with(role: .parent, children: []) { home in
      _ = try await home.node(Self.user).ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
      let browser = try await home.node(Self.user).ask(Endpoints.addBrowser, Self.new("Anna's phone", right))
      let known = try #require(await home.service.browser(authorized: "Bearer \(Self.cookie)"))
      #expect(known == browser)
      try await body(home, Caller(known, userID: 1_000), browser)
    }
  }

  private static func new(
    _ label: String, _ right: BrowserRight = .parent, cookie: String = Self.cookie
  ) -> NewBrowser {
    NewBrowser(
      label: label, right: right, address: "192.168.1.20",
      cookieHash: Hexadecimal.encode(SHA256.hash([UInt8](cookie.utf8))))
  }

  /// Returns the code with which a request is refused; `nil` if it is not.
  private func refusal(_ body: () async throws -> Void) async throws -> LocalAPIError.Code? {
    do { try await body() } catch let error as LocalAPIError { return error.code }
    return nil
  }

  @Test func whenItWasSeenIsKept() async throws {
    try await with(.look) { home, phone, browser in
      let seen = try await home.node(phone).ask(Endpoints.seeBrowser, BrowserSeen(address: "192.168.1.21"))
      #expect(seen.address == "192.168.1.21" && seen.browserID == browser.browserID)
      #expect(try await home.node(Self.user).ask(Endpoints.getBrowsers) == [seen])
    }
  }

  @Test("What is done through a browser is done once for a key, and the audit that any browser reads names it")
  func deeds() async throws {
    try await with(.parent) { home, phone, _ in
      var keyed = phone
      keyed.key = "a1b2"
      let grant = GrantRequest(minutes: 15)
      for isRepeated in [nil, true] {
        #expect(try await home.node(keyed).ask(Endpoints.grantTime, ("Emma", grant)).isRepeated == isRepeated)
      }
      keyed.key = "a1b3"
      let gift = PointsAdjustment(child: "Emma", milliPoints: 2_000, reason: "dishes")
      for isRepeated in [nil, true] {
        let made = try await home.node(keyed).ask(Endpoints.adjustPoints, gift)
        #expect(made.isRepeated == isRepeated && made.points.balance == 2_000)
      }
      _ = try await home.node(Self.user).ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "on")])))
      let entries = try await home.node(phone).ask(Endpoints.getAudit, ("Emma", nil, nil, 2)).entries
      #expect(entries.map(\.through) == [nil, "Anna's phone"])
    }
  }

  @Test("A browser that is removed, by the machine or by itself, is known no more, and its stream ends")
  func removed() async throws {
    for byItself in [false, true] {
      try await with(.parent) { home, phone, _ in
        var changes = try await home.node(phone).ask(Endpoints.changeEvents, nil).makeAsyncIterator()
        #expect(await changes.next()?.about == .start)
        if byItself {
          _ = try await home.node(phone).ask(Endpoints.leaveBrowser)
        } else {
          #expect(try await home.node(Self.user).ask(Endpoints.deleteBrowser, "Anna's phone").isEmpty)
        }
        #expect(await home.service.browser(authorized: "Bearer \(Self.cookie)") == nil)
        #expect(await changes.next() == nil)
        let again = try await refusal {
          _ = try await home.node(Self.user).ask(Endpoints.deleteBrowser, "Anna's phone")
        }
        #expect(again == .unknownItem)
      }
    }
  }

  @Test("No two browsers have one name, there are no more than 16, and what is malformed is refused")
  func bounds() async throws {
    try await with(.parent) { home, _, _ in
      let node = home.node(Self.user)
      #expect(
        try await refusal { _ = try await node.ask(Endpoints.addBrowser, Self.new("Anna's phone", cookie: "other")) }
          == .limit)
      for number in 1..<Store.mostBrowsers {
        _ = try await node.ask(Endpoints.addBrowser, Self.new("Phone \(number)", cookie: "\(number)"))
      }
      #expect(
        try await refusal { _ = try await node.ask(Endpoints.addBrowser, Self.new("One more", cookie: "more")) }
          == .limit)
      #expect(NewBrowser(label: "", right: .look, address: "10.0.0.1", cookieHash: "00").textFault != nil)
      #expect(NewBrowser(label: "A", right: .look, address: "10.0.0.1", cookieHash: "00").textFault != nil)
      #expect(Self.new("Anna's phone").textFault == nil)
    }
  }

  @Test(
    "Nobody else is taken for a browser",
    arguments: [nil, "", "Bearer ", "Bearer x", "Basic \(cookie)", cookie, "bearer \(cookie)"] as [String?])
  func strangers(header: String?) async throws {
    try await with(.parent) { home, _, _ in
      #expect(await home.service.browser(authorized: header) == nil)
      let added = try await home.node(Self.user).ask(
        Endpoints.addReceiver, NewReceiver(name: "ha", kind: .mqtt, rights: [.grant], mostMinutes: 30))
      #expect(await home.service.browser(authorized: "Bearer \(added.token)") == nil)
      #expect(await home.service.receiver(authorized: "Bearer \(Self.cookie)") == nil)
    }
  }
}
