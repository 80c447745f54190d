import LatchkeyModel
import Logging
import Synchronization
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

/// A node that refuses everything, so that a test sees which requests reach it.
final class ClosedNode: NodeInterface {
  let asked = Mutex(0)

  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    asked.withLock { $0 += 1 }
    throw LocalAPIError(.timeout, "The node has stopped: start it.")
  }
}

/// A node of a machine on which two children share the account, and neither has said who is there.
private struct UnnamedNode: NodeInterface {
  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    let screen = VerdictToday(isAllowed: false, rule: "bedtime", reason: "bedtime")
    let account = SharedAccount(
      children: ["Emma", "Ben"].map { DeviceName(sanitising: $0) }, present: nil,
      unnamed: UnnamedToday(sentence: "Emma and Ben share this account.", screen: screen, at: 0, zone: "UTC"))
    let answered = [Endpoints.getPresence.route.operationID, Endpoints.setPresence.route.operationID]
    guard answered.contains(endpoint.route.operationID), let answer = account as? Answer else {
      throw LocalAPIError(.forbidden, "This account may not ask that.")
    }
    return answer
  }
}

@Suite("The door of the pages")
struct WebDoorTests {
  private static let host = "lk-7f3k2m.localhost:41234"
  private let node = ClosedNode()
  private let door = WebDoor()

  private var responder: WebResponder { responder(of: node) }

  private func responder(of node: any NodeInterface) -> WebResponder {
    WebResponder(
      check: RequestCheck(host: Self.host), door: door, logger: Logger(label: "test"), open: { _ in node },
      pages: PageService(logger: Logger(label: "test"), phones: nil), onUse: { _ in })
  }

  private func text(_ answer: WebAnswer) -> String {
    guard case .bytes(let bytes) = answer.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func request(
    _ method: WebRequest.Method?, _ target: String, host: String? = host, origin: String? = "http://\(host)",
    site: String? = nil, cookie: String? = nil, form: String = "", type: String? = "application/x-www-form-urlencoded"
  ) -> WebRequest {
    WebRequest(
      method: method, target: target, host: host, origin: method == .get ? nil : origin, site: site,
      cookies: cookie.map { "other=1; latchkey=\($0)" }, contentType: type, body: { [UInt8](form.utf8) })
  }

  private func status(_ request: WebRequest) async -> Int { await responder.answer(request).status }

  /// Lets a browser in, and returns its cookie and the token of its forms.
  private func session() async throws -> (cookie: String, token: String) {
    let answer = await responder.answer(request(.post, "/in", origin: "null", form: "link=\(door.makeLink())"))
    #expect(answer.status == 200)
    let header = try #require(answer.headers.first { $0.name == "Set-Cookie" }?.value)
    #expect(header.contains("HttpOnly") && header.contains("SameSite=Strict") && !header.contains("Domain"))
    let cookie = try #require(header.split(separator: ";").first?.split(separator: "=").last.map(String.init))
    return (cookie, try #require(door.session(cookie)?.token))
  }

  @Test("A link lets in once, by a form, and then not again")
  func link() async throws {
    let link = door.makeLink()
    // To look at the address does not use it up.
    for _ in 0..<3 {
      let shown = await responder.answer(request(.get, "/in?link=\(link)"))
      #expect(shown.status == 200 && !shown.headers.contains { $0.name == "Set-Cookie" })
    }
    #expect(await status(request(.post, "/in", origin: "http://evil.example", form: "link=\(link)")) == 403)
    #expect(await status(request(.post, "/in", form: "link=\(link)", type: "text/plain")) == 400)
    #expect(await status(request(.post, "/in", origin: "null", form: "link=\(link)")) == 200)
    #expect(await status(request(.post, "/in", origin: "null", form: "link=\(link)")) == 410)
    #expect(await status(request(.post, "/in", origin: "null", form: "link=wrong")) == 403)
    #expect(await status(request(.post, "/in", origin: "null", form: "")) == 400)
  }

  @Test("Without a session nothing reaches the node")
  func outside() async throws {
    for path in ["/", "/machines", "/children/018f", "/live", "/alive", "/in"] {
      #expect(await status(request(.get, path)) == 401, "\(path)")
      #expect(await status(request(.get, path, cookie: "wrong")) == 401, "\(path)")
    }
    for path in ["/children/lock", "/requests/answer", "/out", "/ask", "/nothing"] {
      #expect(await status(request(.post, path, form: "child=x&lock=on")) == 401, "\(path)")
    }
    #expect(node.asked.withLock { $0 } == 0)
  }

  @Test("A rebound name is refused before everything else, and is not told the right one")
  func rebound() async throws {
    let (cookie, token) = try await session()
    for host in ["evil.example", "evil.example:41234", "127.0.0.1:41234", "localhost:41234"] {
      let answer = await responder.answer(request(.get, "/", host: host, cookie: cookie))
      #expect(answer.status == 421)
      guard case .bytes(let bytes) = answer.body else { continue }
      #expect(!String(decoding: bytes, as: UTF8.self).contains("lk-7f3k2m"))
      let form = "token=\(token)&child=x&lock=on"
      #expect(await status(request(.post, "/children/lock", host: host, cookie: cookie, form: form)) == 421)
    }
    #expect(node.asked.withLock { $0 } == 0)
  }

  @Test("A form of another site, or without the token, changes nothing")
  func forgery() async throws {
    let (cookie, token) = try await session()
    let form = "token=\(token)&child=x&lock=on"
    for origin in ["http://evil.example", "null", "http://lk-7f3k2m.localhost:8080", nil] {
      #expect(
        await status(request(.post, "/children/lock", origin: origin, cookie: cookie, form: form)) == 403)
    }
    #expect(await status(request(.post, "/children/lock", site: "same-site", cookie: cookie, form: form)) == 403)
    for wrong in ["child=x&lock=on", "token=&child=x", "token=\(token)0", "token=wrong"] {
      #expect(await status(request(.post, "/children/lock", cookie: cookie, form: wrong)) == 403)
    }
    #expect(await status(request(.post, "/children/lock", cookie: cookie, form: form + "&token=\(token)")) == 400)
    #expect(node.asked.withLock { $0 } == 0)
    // With everything, it reaches the node, whose fault is said with its status.
    #expect(await status(request(.post, "/children/lock", site: "same-origin", cookie: cookie, form: form)) == 503)
  }

  @Test("A node that is away is said in its words, and the page asks again by itself, but not for what a form did")
  func away() async throws {
    let (cookie, token) = try await session()
    let page = await responder.answer(request(.get, "/", cookie: cookie))
    #expect(page.status == 503)
    #expect(text(page).contains("has not answered on this machine since") && text(page).contains(" data-live>"))
    let form = await responder.answer(
      request(.post, "/children/lock", cookie: cookie, form: "token=\(token)&child=x&lock=on"))
    #expect(form.status == 503)
    #expect(text(form).contains("has not answered on this machine since") && !text(form).contains("data-live"))
  }

  @Test("In an account that children share, the page asks who is there")
  func shared() async throws {
    let (cookie, _) = try await session()
    let answer = await responder(of: UnnamedNode()).answer(request(.get, "/", cookie: cookie))
    #expect(answer.status == 200)
    for part in ["Who is there?", "Emma and Ben share this account.", "<option>Ben</option>", "My PIN", "Closed"] {
      #expect(text(answer).contains(part), "\(part)")
    }
    #expect(!text(answer).contains("Ask my parents"))
    let parents = await responder(of: UnnamedNode()).answer(request(.get, "/machines", cookie: cookie))
    #expect(parents.status == 403)
  }

  @Test("What a form has done is told once, to the page after it and not to an open page's script")
  func word() async throws {
    let (cookie, token) = try await session()
    let responder = responder(of: UnnamedNode())
    let sent = await responder.answer(request(.post, "/present", cookie: cookie, form: "token=\(token)&leave=yes"))
    #expect(sent.status == 303 && sent.headers.contains { $0.name == "Location" && $0.value == "/" })
    var part = request(.get, "/", cookie: cookie)
    part.isPart = true
    var told: [Bool] = []
    for request in [part, request(.get, "/", cookie: cookie), request(.get, "/", cookie: cookie)] {
      told.append(text(await responder.answer(request)).contains("You have left"))
    }
    #expect(told == [false, true, false])
  }

  @Test("A browser that signs out is not let in by its cookie any more, and another one stays")
  func signOut() async throws {
    let (first, second) = (try await session(), try await session())
    #expect(await status(request(.post, "/out", cookie: first.cookie, form: "token=\(second.token)")) == 403)
    #expect(await status(request(.post, "/out", cookie: first.cookie, form: "token=\(first.token)")) == 200)
    #expect(await status(request(.get, "/alive", cookie: first.cookie)) == 401)
    #expect(await status(request(.get, "/alive", cookie: second.cookie)) == 204)
  }

  @Test("Two cookies of one name are none")
  func twoCookies() async throws {
    let (cookie, _) = try await session()
    var twice = request(.get, "/alive", cookie: cookie)
    twice.cookies = "latchkey=\(cookie); latchkey=\(cookie)"
    #expect(await status(twice) == 401)
  }

  @Test("Every answer forbids code in pages, frames, and what is not of the pages")
  func headers() async throws {
    let (cookie, _) = try await session()
    let script = try #require(Assets.all.paths["script"])
    for request in [
      request(.get, "/", cookie: cookie), request(.get, "/"), request(.get, script), request(.get, "/x", host: "evil"),
      request(nil, "/", cookie: cookie), request(.post, "/in", form: "link=x"),
    ] {
      let answer = await responder.answer(request)
      let policy = answer.headers.filter { $0.name == "Content-Security-Policy" }.map(\.value)
      #expect(policy.count == 1 && policy.first?.contains("default-src 'none'") == true)
      #expect(policy.first?.contains("unsafe") == false && policy.first?.contains("frame-ancestors 'none'") == true)
      let stored = answer.headers.first { $0.name == "Cache-Control" }?.value
      #expect(answer.status != 200 || stored == "no-store" || request.target == script)
    }
  }

  @Test("The file that takes a link to a browser has it once, and nothing that breaks out of it")
  func file() {
    let page = WebPlace.page(link: "0123abcd", host: "\"><b>")
    #expect(page.split(separator: "0123abcd").count == 2 && !page.contains("<b>"))
  }

  @Test("An invitation is read back, and nothing else is taken for one")
  func invitation() {
    let invitation = WebInvitation(file: "/run/user/1000/x/open.html", address: "http://lk-x.localhost:1/in?link=1")
    #expect(WebInvitation(invitation.bytes) == invitation)
    for text in ["", "\n\n", "/a\n", "/a\nhttp://b", "a\nhttp://b\n", "/a\nfile:///b\n", "/a\nhttp://b\nc\n"] {
      #expect(WebInvitation([UInt8](text.utf8)) == nil, "\(text)")
    }
  }
}
