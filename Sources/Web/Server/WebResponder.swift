import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Logging

/// The responder of the machine's own pages: it checks the sender of each request, and shows pages
/// or carries out forms.
///
/// Spec: Protocol/15-pages.md §3, §4.
struct WebResponder: Sendable {
  let check: RequestCheck
  let door: WebDoor
  let logger: Logger
  /// Returns the node with the rights of the account.
  let open: WebServer.Opening
  let pages: PageService
  /// The function that is called with the secret of a link that was used.
  let onUse: @Sendable (String) -> Void

  func answer(_ request: WebRequest) async -> WebAnswer { await checked(request).finished(for: request) }

  private func checked(_ request: WebRequest) async -> WebAnswer {
    let refusal = check.refusal(
      host: request.host, isChange: request.method == .post, origin: request.origin, site: request.site,
      isEntry: request.path == EntryPages.path)
    switch refusal {
    case .otherName?: return EntryPages.otherName
    case .otherSite?: return EntryPages.otherSite
    case nil: break
    }
    guard let method = request.method else { return EntryPages.otherMethod }
    if method == .get, let file = Assets.all.answer(request.path) { return file }
    if request.path == EntryPages.path { return await entry(request, method) }
    guard let cookie = request.cookie, let session = door.session(cookie) else { return EntryPages.signedOut }
    switch (method, request.path) {
    case (.get, "/alive"): return WebAnswer(204)
    case (.get, "/live"): return live(cookie)
    case (.get, _): return await pages.page(request, of(cookie, session))
    case (.post, _): return await pages.form(request, of(cookie, session))
    }
  }

  private func of(_ cookie: String, _ session: SessionTable.Session) -> PageSession {
    let door = door
    return PageSession(
      token: session.token, node: open, takeWord: { door.takeWord(cookie) }, tell: { door.tell($0, cookie) },
      signOut: { door.signOut(cookie) })
  }

  private func live(_ cookie: String) -> WebAnswer {
    let door = door
    return WebAnswer(
      200, [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
      body: .changes { door.session(cookie) != nil })
  }
}

// MARK: - Links

extension WebResponder {
  /// Answers a request with a one-time link.
  ///
  /// If the link is in an address, the answer is a page with a button, so that a program that only
  /// loads addresses does not use the link up.
  private func entry(_ request: WebRequest, _ method: WebRequest.Method) async -> WebAnswer {
    if method == .get {
      guard let link = request.query?["link"] else { return EntryPages.signedOut }
      return EntryPages.button(link: link, page: Self.page(request.query?["page"]))
    }
    guard let fields = await FormFields.of(request), let link = fields["link"] else { return EntryPages.malformed }
    let (outcome, cookie) = door.use(link: link)
    switch outcome {
    case .accepted: onUse(link)
    case .over: return EntryPages.fault(410, EntryPages.overSentence)
    case .unknown: return EntryPages.fault(403, EntryPages.unknownSentence)
    }
    guard let cookie else { return EntryPages.signedOut }
    logger.info("a browser was let in")
    // A browser that comes from a file does not send a strict cookie with the request of a
    // redirect. So this page itself asks for the next one.
    var answer = EntryPages.welcome(Self.page(fields["page"]))
    answer.headers.append(("Set-Cookie", "\(WebRequest.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict"))
    return answer
  }

  /// Returns the page to which a link leads: the first page, unless the link names the page about
  /// phones.
  private static func page(_ asked: String?) -> String { asked == PhonesPage.path ? PhonesPage.path : "/" }
}

/// The checks of a request that need no session: its host name, and the site that sent it.
///
/// Spec: Protocol/15-pages.md §3.
struct RequestCheck: Hashable, Sendable {
  /// The reason to refuse a request.
  enum Refusal: Hashable, Sendable {
    /// The request has a host name that is not this server's, such as a rebound one.
    case otherName
    /// Another site sent the request.
    case otherSite
  }

  /// The host name and port of the pages, such as `lk-7f3k2m.localhost:41234`.
  let host: String

  /// Returns the reason to refuse a request; `nil` if it is permitted.
  ///
  /// `site` is the header `Sec-Fetch-Site`. `isEntry` indicates whether the request has a one-time
  /// link, which comes from a file and so from no site.
  func refusal(host: String?, isChange: Bool, origin: String?, site: String?, isEntry: Bool) -> Refusal? {
    guard let host, host.lowercased() == self.host else { return .otherName }
    if isEntry {
      // A file has an origin of its own, which a browser sends as `null`.
      return origin == nil || origin == "null" || origin == "http://\(self.host)" ? nil : .otherSite
    }
    // Browsers send the origin of every form, so a request without an origin is not from a form.
    guard isChange else { return nil }
    if let site, site != "same-origin" { return .otherSite }
    return origin == "http://\(self.host)" ? nil : .otherSite
  }

  /// Returns whether a form's token is the session's token.
  static func isToken(_ given: String?, of token: String) -> Bool {
    guard let given else { return false }
    return ConstantTime.areEqual([UInt8](given.utf8), [UInt8](token.utf8))
  }
}
