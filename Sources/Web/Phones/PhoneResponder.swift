import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Logging
import Synchronization

/// The responder for phones behind TLS: it accepts codes, lets phones wait, and shows a parent's
/// pages to phones that were let in.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneResponder: Sendable {
  /// The name of the cookie of a phone that was let in.
  ///
  /// A page without TLS cannot set a cookie of this name.
  static let cookieName = "__Host-latchkey"
  /// The name of the cookie of a phone that waits.
  static let waitingName = "__Host-latchkey-waiting"

  let desk: PhoneDesk
  let pages: PageService
  let logger: Logger
  /// Returns the node with the rights of the browser that has a cookie.
  let open: PhoneAccess.Opening
  private let words = PhoneWords()

  init(desk: PhoneDesk, logger: Logger, open: @escaping PhoneAccess.Opening) {
    (self.desk, self.logger, self.open) = (desk, logger, open)
    pages = PageService(logger: logger, phones: nil)
  }

  /// Returns the answer to a request, with the headers of every answer.
  ///
  /// `host` is the address and port where the request arrived. The request must name it or a
  /// proxy's allowed name. If `host` is empty, it must name a proxy's name.
  func answer(_ request: WebRequest, _ host: String) async -> WebAnswer {
    await checked(request, host).finished(for: request)
  }

  private func checked(_ request: WebRequest, _ host: String) async -> WebAnswer {
    guard let host = desk.host(request.host, at: host) else { return PhonePages.otherName }
    guard let method = request.method else { return EntryPages.otherMethod }
    if method == .post {
      guard request.origin == "https://\(host)", request.site == nil || request.site == "same-origin" else {
        return EntryPages.otherSite
      }
    }
    if method == .get, let file = Assets.all.answer(request.path) { return file }
    switch (method, request.path) {
    case (.get, EntryPages.path): return PhonePages.code
    case (.post, EntryPages.path): return await signIn(request)
    case (.get, PhonePages.waitPath): return wait(request)
    default: return await letIn(request, method)
    }
  }

  private func signIn(_ request: WebRequest) async -> WebAnswer {
    guard let fields = await FormFields.of(request), let code = fields["code"] else { return EntryPages.malformed }
    let (outcome, cookie) = desk.claim(code, from: request.address, kind: PhonePages.kind(request.userAgent))
    switch (outcome, cookie) {
    case (.claimed, let cookie?):
      var answer = WebAnswer.redirect(to: PhonePages.waitPath)
      answer.headers.append(Self.setCookie(Self.waitingName, cookie, seconds: 600))
      return answer
    case (.over, _): return PhonePages.codeOver
    default: return PhonePages.codeUnknown
    }
  }

  private func wait(_ request: WebRequest) -> WebAnswer {
    guard let secret = request.cookie(Self.waitingName) else { return PhonePages.signedOut }
    switch desk.standing(secret) {
    case .waiting(let digits): return PhonePages.waiting(digits)
    case .letIn(let cookie):
      logger.notice("a phone was let in")
      var answer = EntryPages.welcome("/")
      answer.headers.append(Self.setCookie(Self.cookieName, cookie, seconds: Self.cookieSeconds))
      answer.headers.append(Self.setCookie(Self.waitingName, "", seconds: 0))
      return answer
    case .over: return PhonePages.notLetIn
    }
  }

  /// Browsers keep a cookie for at most 400 days.
  ///
  /// Each page sets it anew.
  private static let cookieSeconds = 400 * 86_400

  private static func setCookie(_ name: String, _ value: String, seconds: Int) -> (name: String, value: String) {
    // The cookie is also sent when a link is followed, because notices have links to pages.
    ("Set-Cookie", "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\(seconds)")
  }

  private func letIn(_ request: WebRequest, _ method: WebRequest.Method) async -> WebAnswer {
    guard let cookie = request.cookie(Self.cookieName), Self.isCookie(cookie) else { return PhonePages.signedOut }
    let (seen, open) = (BrowserSeen(address: request.address.isEmpty ? "?" : request.address), open)
    let browser: BrowserListing
    do { browser = try await open(cookie, nil).ask(Endpoints.seeBrowser, seen) } catch {
      if let error = error as? LocalAPIError, error.code == .forbidden { return PhonePages.signedOut }
      return pages.unanswered(error)
    }
    pages.answered()
    let words = words
    let session = PageSession(
      token: Self.token(cookie), right: browser.right, node: { try await open(cookie, $0) },
      takeWord: { words.take(browser.browserID) }, tell: { words.put($0, browser.browserID) },
      signOut: { do { _ = try await open(cookie, nil).ask(Endpoints.leaveBrowser) } catch {} })
    switch (method, request.path) {
    case (.get, "/alive"): return WebAnswer(204)
    case (.get, "/live"):
      return WebAnswer(
        200, [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
        body: .changes {
          do { _ = try await open(cookie, nil).ask(Endpoints.seeBrowser, seen) } catch {
            return (error as? LocalAPIError)?.code != .forbidden
          }
          return true
        })
    case (.get, _):
      var answer = await pages.page(request, session)
      if !request.isPart { answer.headers.append(Self.setCookie(Self.cookieName, cookie, seconds: Self.cookieSeconds)) }
      return answer
    case (.post, _): return await pages.form(request, session)
    }
  }

  private static func isCookie(_ text: String) -> Bool {
    text.utf8.count == SessionTable.secretBytes * 2 && Hexadecimal.decode(text) != nil
  }

  /// Returns the token of a session's forms.
  ///
  /// Without the cookie, it cannot be known.
  private static func token(_ cookie: String) -> String {
    Hexadecimal.encode(SHA256.hash([UInt8]("latchkey form \(cookie)".utf8)).prefix(SessionTable.secretBytes))
  }
}

/// The sentences for the next page of each phone.
private final class PhoneWords: Sendable {
  private let words = Mutex<[String: PageWord]>([:])

  func put(_ word: PageWord, _ browser: String) { words.withLock { $0[browser] = word } }
  func take(_ browser: String) -> PageWord? { words.withLock { $0.removeValue(forKey: browser) } }
}

/// The responder of the trust step, without TLS.
///
/// It gives only the authority's certificate, with steps.
struct TrustResponder: Sendable {
  let desk: PhoneDesk

  func answer(_ request: WebRequest, _ host: String) -> WebAnswer { checked(request, host).finished(for: request) }

  private func checked(_ request: WebRequest, _ host: String) -> WebAnswer {
    // A proxy is only for the pages.
    guard request.host?.lowercased() == host else { return PhonePages.otherTrustName }
    guard request.method == .get else { return EntryPages.fault(405, "This page is only read.") }
    guard desk.isOpen, let authority = desk.folder.authority else { return PhonePages.closed }
    if let file = Assets.all.answer(request.path, kept: "no-store") { return file }
    switch request.path {
    case PhonePages.trustPath: return PhonePages.trust
    case PhonePages.authorityPath: return PhonePages.certificate(authority, isSaved: false)
    default: return PhonePages.nothingElse
    }
  }
}
