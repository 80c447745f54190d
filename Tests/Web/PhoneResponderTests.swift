import Foundation
import LatchkeyModel
import LatchkeyProtocol
import Logging
import Synchronization
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// A node that keeps browsers in memory, and answers a browser by its cookie.
private final class BrowserNode: Sendable {
  let browsers = Mutex<[String: BrowserListing]>([:])
  let asked = Mutex(0)
  /// What is thrown instead of an answer.
  let fault = Mutex<LocalAPIError?>(nil)

  func view(_ cookie: String?) -> View { View(node: self, cookie: cookie) }

  struct View: NodeInterface {
    let node: BrowserNode
    let cookie: String?

    func ask<Input: Sendable, Answer: Sendable>(
      _ endpoint: Endpoint<Input, Answer>, _ input: Input
    ) async throws(LocalAPIError) -> Answer {
      node.asked.withLock { $0 += 1 }
      if let fault = node.fault.withLock({ $0 }) { throw fault }
      let own = cookie.map { Hexadecimal.encode(SHA256.hash([UInt8]($0.utf8))) }
      let answer: (any Sendable)? = node.browsers.withLock { browsers in
        switch (endpoint.route.operationID, input) {
        case ("post-browsers", let new as NewBrowser):
          let listing = BrowserListing(
            browserID: "00", label: new.label, right: new.right, madeAt: 0, lastSeen: 0, address: new.address)
          browsers[new.cookieHash] = listing
          return listing
        case ("post-browser-seen", _): return own.flatMap { browsers[$0] }
        case ("delete-browser", _): return own.flatMap { browsers.removeValue(forKey: $0) }
        default: return nil
        }
      }
      guard let answer = answer as? Answer else { throw LocalAPIError(.forbidden, "That is not yours.") }
      return answer
    }
  }
}

@Suite("What phones are answered")
struct PhoneResponderTests {
  private static let host = "192.168.1.5:21000"
  private let node = BrowserNode()
  private let desk: PhoneDesk
  private let responder: PhoneResponder

  init() {
    let node = node
    desk = PhoneDesk(stateFolder: "/nonexistent/latchkey", open: { node.view(nil) })
    responder = PhoneResponder(desk: desk, logger: Logger(label: "test"), open: { cookie, _ in node.view(cookie) })
  }

  private func answer(
    _ method: WebRequest.Method?, _ path: String, host: String = host, origin: String? = "https://\(host)",
    site: String? = nil, cookies: String? = nil, form: String = ""
  ) async -> WebAnswer {
    await responder.answer(
      WebRequest(
        method: method, target: path, host: host, origin: method == .post ? origin : nil, site: site, cookies: cookies,
        contentType: "application/x-www-form-urlencoded", userAgent: "Mozilla/5.0 (iPhone)", address: "192.168.1.20",
        body: { [UInt8](form.utf8) }), Self.host)
  }

  private func cookie(_ name: String, _ answer: WebAnswer) -> String? {
    answer.headers.first { $0.name == "Set-Cookie" && $0.value.hasPrefix(name + "=") }
      .flatMap { $0.value.split(separator: ";").first.map(String.init) }
  }

  private func text(_ answer: WebAnswer) -> String {
    guard case .bytes(let bytes) = answer.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Signs a phone in, and returns its cookie.
  private func signIn(_ right: BrowserRight = .parent) async throws -> String {
    desk.offer()
    let code = try #require(desk.shown.code)
    let claimed = await answer(.post, "/in", form: "code=\(code)")
    #expect(claimed.status == 303)
    let waiting = try #require(cookie(PhoneResponder.waitingName, claimed))
    let digits = try #require(desk.shown.waiting?.digits)
    #expect(text(await answer(.get, "/wait", cookies: waiting)).contains(">\(digits)<"))
    #expect(desk.shown.waiting?.kind == "iPhone" && desk.shown.waiting?.address == "192.168.1.20")
    await #expect(throws: PageFault.self) { () async throws -> Void in
      try await desk.accept(digits: digits == 99 ? 10 : digits + 1, label: "Another", right: right)
    }
    try await desk.accept(digits: digits, label: "Anna's phone", right: right)
    let entered = await answer(.get, "/wait", cookies: waiting)
    let header = entered.headers.first { $0.value.hasPrefix(PhoneResponder.cookieName + "=") }?.value ?? ""
    for word in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/;"] { #expect(header.contains(word), "\(header)") }
    #expect(!header.contains("Domain"))
    return try #require(cookie(PhoneResponder.cookieName, entered))
  }

  @Test("Only who waited and was accepted gets a cookie, which the node knows by its hash")
  func whole() async throws {
    let cookie = try await signIn()
    #expect(await answer(.get, "/alive", cookies: cookie).status == 204)
    #expect(await answer(.get, "/live", cookies: cookie).status == 200)
    #expect(await answer(.get, "/alive", cookies: nil).status == 401)
    #expect(await answer(.get, "/alive", cookies: cookie + "; " + cookie).status == 401)
    node.browsers.withLock { $0.removeAll() }
    #expect(await answer(.get, "/alive", cookies: cookie).status == 401)
  }

  @Test("A node that is away is said since when, in the reader's language, and its folder to nobody")
  func away() async throws {
    let stranger = "\(PhoneResponder.cookieName)=\(String(repeating: "0", count: 48))"
    let sentences = ["No node is running for /home/mum/state: start it.", "It was not understood: see `latchkey run`."]
    for sentence in sentences {
      node.fault.withLock { $0 = LocalAPIError(sentence.hasPrefix("No") ? .timeout : .internal, sentence) }
      for path in ["/", "/machines", "/alive"] {
        let page = await answer(.get, path, cookies: stranger)
        #expect(page.status == 503 && text(page).contains("has not answered on this machine since"), "\(text(page))")
        #expect(!text(page).contains("/home/mum") && !text(page).contains("<code>") && text(page).contains("data-live"))
      }
      let request = WebRequest(
        method: .get, target: "/", host: Self.host, cookies: stranger, language: try #require(Language.named("de")),
        body: { [] })
      let german = text(await responder.answer(request, Self.host))
      #expect(german.contains("lang=\"de\"") && !german.contains("has not answered"), "\(german)")
    }
  }

  @Test("A stream ends for a phone that was removed")
  func stream() async throws {
    let live = await answer(.get, "/live", cookies: try await signIn(.look))
    guard case .changes(let isLetIn) = live.body else {
      Issue.record("There is no stream.")
      return
    }
    #expect(await isLetIn())
    node.browsers.withLock { $0.removeAll() }
    #expect(await !isLetIn())
  }

  @Test("A name that is not the address, another site, and other methods are refused before the node is asked")
  func refused() async throws {
    for host in ["evil.example", "192.168.1.5", "192.168.1.6:21000", "localhost:21000"] {
      #expect(await answer(.get, "/", host: host).status == 421, "\(host)")
    }
    let form = "code=0000-0000-0000-0000"
    for origin in [nil, "null", "https://evil.example", "http://\(Self.host)", "https://192.168.1.5"] as [String?] {
      #expect(await answer(.post, "/in", origin: origin, form: form).status == 403, "\(origin ?? "-")")
    }
    #expect(await answer(.post, "/in", site: "cross-site", form: form).status == 403)
    #expect(await answer(nil, "/").status == 405)
    for cookies in ["", "__Host-latchkey=", "__Host-latchkey=0a", "latchkey=\(String(repeating: "0a", count: 24))"] {
      #expect(await answer(.get, "/", cookies: cookies).status == 401, "\(cookies)")
    }
    #expect(await answer(.post, "/in", form: "").status == 400)
    #expect(node.asked.withLock { $0 } == 0)
  }

  @Test("A proxy's name is answered once it is allowed, with its own origin alone, and never at the trust step")
  func proxies() async throws {
    let state = FileManager.default.temporaryDirectory.appendingPathComponent("lk-web-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: state) }
    let (desk, hosts) = (
      PhoneDesk(stateFolder: state, open: { [node] in node.view(nil) }), ProxyHosts(stateFolder: state)
    )
    let responder = PhoneResponder(
      desk: desk, logger: Logger(label: "test"), open: { [node] cookie, _ in node.view(cookie) })
    func status(
      _ host: String?, _ method: WebRequest.Method = .get, origin: String? = nil, arrivedAt arrived: String = Self.host
    ) async -> Int {
      let request = WebRequest(
        method: method, target: "/in", host: host, origin: origin, contentType: "application/x-www-form-urlencoded",
        address: "127.0.0.1", body: { [UInt8]("code=0000-0000-0000-0000".utf8) })
      return await responder.answer(request, arrived).status
    }
    let name = "pc.example.ts.net"
    #expect(await status(name) == 421)
    #expect(try hosts.add(name))
    for host in [name, "PC.Example.ts.net", "\(name):443"] { #expect(await status(host) == 200, "\(host)") }
    for host in ["x.\(name)", "\(name):8443", "\(name).", "evil.example", ""] {
      #expect(await status(host) == 421, "\(host)")
    }
    // At the place of the proxy, the address itself is no name.
    for host in ["", nil, "127.0.0.1:21000", Self.host] { #expect(await status(host, arrivedAt: "") == 421) }
    #expect(await status(name, arrivedAt: "") == 200)
    for origin in [
      nil, "null", "http://\(name)", "https://\(Self.host)", "https://evil.example", "https://\(name):443",
    ] {
      #expect(await status(name, .post, origin: origin) == 403, "\(origin ?? "-")")
    }
    // The right origin gets as far as the code, which is wrong; no other one of the pages is right.
    #expect(await status(name, .post, origin: "https://\(name)") == 403)
    #expect(await status(Self.host, .post, origin: "https://\(name)") == 403)
    let trusted = TrustResponder(desk: desk).answer(
      WebRequest(method: .get, target: "/trust", host: name, body: { [] }), Self.host)
    #expect(trusted.status == 421)
    #expect(try hosts.remove(name))
    #expect(await status(name) == 421)
  }

  @Test("A form needs the token of the phone's own session, and phones are let in from no phone")
  func forms() async throws {
    let cookie = try await signIn()
    #expect(await answer(.post, "/children/lock", cookies: cookie, form: "lock=on").status == 403)
    #expect(
      await answer(.post, "/out", cookies: cookie, form: "token=\(String(repeating: "0", count: 48))").status == 403)
    let secret = try #require(cookie.split(separator: "=").last)
    let token = Hexadecimal.encode(SHA256.hash([UInt8]("latchkey form \(secret)".utf8)).prefix(24))
    for path in ["/phones/begin", "/phones/offer", "/phones/answer", "/phones/remove"] {
      #expect(await answer(.post, path, cookies: cookie, form: "token=\(token)").status == 403, "\(path)")
    }
    #expect(await answer(.get, "/phones", cookies: cookie).status == 403)
    #expect(await answer(.get, "/phones/latchkey.crt", cookies: cookie).status != 200)
    #expect(await answer(.post, "/out", cookies: cookie, form: "token=\(token)").status == 200)
    #expect(await answer(.get, "/alive", cookies: cookie).status == 401)
  }

  @Test(
    "From a phone, no machine is paired, set up, renamed or removed, and no table is taken",
    arguments: [
      "/phones", "/machines/pair", "/machines/pair/0a1b", "/machines/0a/setup", "/machines/0a/remove",
      "/activity.csv", "/children/0a/use.csv",
    ])
  func notFromPhones(path: String) async throws {
    let cookie = try await signIn()
    let asked = node.asked.withLock { $0 }
    let page = await answer(.get, path, cookies: cookie)
    #expect(page.status == 403 && text(page).contains("from no phone"))
    // It is noted that the phone asked, and nothing else.
    #expect(node.asked.withLock { $0 } == asked + 1)
    #expect(PageTable.page(at: path, for: .phone) == nil && PageTable.download(at: path, for: .phone) == nil)
    #expect(PageTable.page(at: path, for: .parent) != nil || PageTable.download(at: path, for: .parent) != nil)
  }

  @Test func formsAboutMachinesAreNotForPhones() {
    let forms = PageTable.forms.filter { $0.whoMay.contains(.phone) }.map(\.path)
    #expect(
      Set(forms) == [
        "/requests/answer", "/children/grant", "/children/lock", "/children/later", "/children/message",
        "/children/applications", "/children/allow", "/children/times", "/children/days/remove", "/points/adjust",
        "/points/review", "/machines/sync",
      ])
    #expect(PageTable.forms.allSatisfy { !$0.whoMay.contains(.phone) || $0.whoMay.contains(.parent) })
    let pages = PageTable.pages.filter { $0.whoMay.contains(.phone) }.map(\.path.text)
    #expect(
      Set(pages) == [
        "/", "/children/{child}", "/children/{child}/applications", "/children/{child}/times", "/machines",
        "/machines/{device}", "/activity",
      ])
  }

  @Test("No page of a phone leads to what it may not do")
  func links() throws {
    let (family, now) = (FamilySample(), FamilySample.now)
    var machine = family.peer
    machine.device.state = .active
    let audit = ActivityPage.data(
      AuditPage(entries: []), ActivityPage.Filter(FamilySample.fields([:])), [family.child], family.status, now: now)
    let pages: [(Page, PageData)] = [
      (TodayPage.page, TodayPage.data([], [], family.status, now: now)),
      (MachinesPage.page, MachinesPage.data(family.status, [family.child], [], now: now)),
      (MachinePage.page, MachinePage.data(machine, [family.child], [], [], now: now)),
      (ActivityPage.page, audit),
    ]
    for (page, data) in pages {
      for isPhone in [true, false] {
        let text = Sample.render(page, data.merging(["isPhone": isPhone]) { $1 })
        let found = ["/machines/pair", "/setup\"", "/remove\"", "/rename\"", ".csv"].contains { text.contains($0) }
        #expect(found != isPhone, "\(page.path.text)")
      }
    }
  }

  @Test("A phone that only looks sends no form, not even one that asks before it does something")
  func looking() async throws {
    let cookie = try await signIn(.look)
    let secret = try #require(cookie.split(separator: "=").last)
    let token = Hexadecimal.encode(SHA256.hash([UInt8]("latchkey form \(secret)".utf8)).prefix(24))
    for path in ["/children/times", "/children/lock", "/machines/sync"] {
      let asked = node.asked.withLock { $0 }
      let refused = await answer(.post, path, cookies: cookie, form: "token=\(token)")
      #expect(refused.status == 403 && text(refused).contains("let in to look"), "\(path)")
      #expect(node.asked.withLock { $0 } == asked + 1, "\(path)")
    }
    #expect(await answer(.post, "/out", cookies: cookie, form: "token=\(token)").status == 200)
  }

  @Test("Wrong codes do not keep the phone with the right one out, which is told the truth about a used one")
  func wrong() async throws {
    desk.offer()
    let code = try #require(desk.shown.code)
    for _ in 0..<50 { #expect(await answer(.post, "/in", form: "code=0000-0000-0000-0000").status == 403) }
    #expect(desk.shown.code == code)
    #expect(await answer(.post, "/in", form: "code=\(code)").status == 303)
    #expect(desk.shown.code == nil && desk.shown.waiting != nil)
    let again = await answer(.post, "/in", form: "code=\(code)")
    #expect(again.status == 410 && text(again).contains("was used already"))
  }

  @Test("The trust step gives nothing while no phone may come, and no page of the family ever")
  func trust() {
    let trust = TrustResponder(desk: desk)
    func status(_ path: String, host: String = Self.host) -> Int {
      trust.answer(
        WebRequest(method: .get, target: path, host: host, body: { [] }), Self.host
      ).status
    }
    #expect(status("/trust") == 404 && status("/trust/latchkey.crt") == 404 && status("/") == 404)
    #expect(status("/trust", host: "evil.example") == 421)
  }

  @Test("The page of phones shows codes, digits and names, and no markup of a phone's name")
  func page() {
    let browser = BrowserListing(
      browserID: "0a", label: "\"><b>Anna", right: .look, madeAt: 0, lastSeen: 0, address: "192.168.1.20")
    var shown = PhoneDesk.Shown()
    func text() -> String {
      PhonesPage.page.template.render(
        PhonesPage.data([browser], shown, 0).merging(["token": "t", "title": "Phones"]) { $1 },
        in: .english)
    }
    // Without the authority, it is said that it was lost.
    #expect(text().contains("was lost") && !text().contains("<b>"))
    (shown.isOpen, shown.comparison, shown.addresses) = (true, "ABCD EF01 2345 6789", ["192.168.1.5"])
    shown.place = PhonePlace(name: "lk-a.local", port: 21_000, trustPort: 21_001)
    for part in ["ABCD EF01 2345 6789", "http://192.168.1.5:21001/trust", "https://192.168.1.5:21000/", "stop"] {
      #expect(text().contains(part), "\(part)")
    }
    #expect(!text().contains("/in<") && !text().contains("Is it this phone?"))
    shown.code = "7F3K-2M9A-0000-0000"
    #expect(text().contains("7F3K-2M9A-0000-0000") && text().contains("https://192.168.1.5:21000/in<"))
    #expect(text().split(separator: "<svg class=\"qr\"").count == 3)
    #expect(!text().contains("your own proxy"))
    shown.hosts = ["pc.example.ts.net"]
    #expect(text().contains("https://pc.example.ts.net/in<") && text().contains("https://pc.example.ts.net/<"))
    shown.isOpen = false
    #expect(text().contains("Let a phone in"))
  }
}
