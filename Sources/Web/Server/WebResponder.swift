import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Logging

/// What answers requests: it checks who sent them and from where, and shows pages or carries out
/// forms.
///
/// Spec: Protocol/15-pages.md §3, §4.
struct WebResponder: Sendable {
  let check: RequestCheck
  let door: WebDoor
  let logger: Logger
  let open: WebServer.Opening
  private let pairings = OpenPairings()
  /// Called with the secret of a link that was used.
  let onUse: @Sendable (String) -> Void

  /// Returns the answer to a request, with the headers that every answer has.
  func answer(_ request: WebRequest) async -> WebAnswer {
    var answer = await checked(request)
    answer.headers += WebAnswer.everywhere
    return answer.worded(in: request.language)
  }

  private func checked(_ request: WebRequest) async -> WebAnswer {
    let refusal = check.refusal(
      host: request.host, isChange: request.method == .post, origin: request.origin, site: request.site,
      isEntry: request.path == EntryPages.path)
    switch refusal {
    case .otherName?: return EntryPages.otherName
    case .otherSite?: return EntryPages.otherSite
    case nil: break
    }
    guard let method = request.method else {
      var answer = EntryPages.fault(405, "Nothing can be done in this way here: go back and load the page again.")
      answer.headers.append(("Allow", "GET, POST"))
      return answer
    }
    if method == .get, let file = Assets.all.files[request.path] {
      return WebAnswer(
        200, [("Content-Type", file.type), ("Cache-Control", "public, max-age=31536000, immutable")],
        body: .bytes(file.bytes))
    }
    if request.path == EntryPages.path { return await entry(request, method) }
    guard let cookie = request.cookie, let session = door.session(cookie) else { return EntryPages.signedOut }
    switch (method, request.path) {
    case (.get, "/alive"): return WebAnswer(204)
    case (.get, "/live"): return live(cookie)
    case (.get, _): return await page(request, cookie, session)
    case (.post, _): return await form(request, cookie, session)
    }
  }

  private func live(_ cookie: String) -> WebAnswer {
    WebAnswer(
      200, [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")], body: .changes(cookie: cookie))
  }
}

// MARK: - Links

extension WebResponder {
  /// Answers who brings a one-time link: a button first, if it comes in an address, so that nothing
  /// that only looks at addresses uses it up.
  private func entry(_ request: WebRequest, _ method: WebRequest.Method) async -> WebAnswer {
    if method == .get {
      guard let link = request.query?["link"] else { return EntryPages.signedOut }
      return EntryPages.button(link: link)
    }
    guard let fields = await fields(of: request), let link = fields["link"] else { return EntryPages.malformed }
    let (outcome, cookie) = door.use(link: link)
    switch outcome {
    case .accepted: onUse(link)
    case .over: return EntryPages.fault(410, EntryPages.overSentence)
    case .unknown: return EntryPages.fault(403, EntryPages.unknownSentence)
    }
    guard let cookie else { return EntryPages.signedOut }
    logger.info("a browser was let in")
    // A browser that comes from a file does not send a strict cookie along with a redirect's
    // request. The next page is asked for by this one.
    var answer = EntryPages.welcome
    answer.headers.append(
      ("Set-Cookie", "\(WebRequest.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict"))
    return answer
  }

  /// Returns the fields of a form; `nil` if they are malformed.
  private func fields(of request: WebRequest) async -> FormFields? {
    let type = request.contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard type == "application/x-www-form-urlencoded" else { return nil }
    do { return try await request.body().flatMap { FormFields($0) } } catch { return nil }
  }
}

// MARK: - Pages and forms

extension WebResponder {
  private func page(_ request: WebRequest, _ cookie: String, _ session: SessionTable.Session) async -> WebAnswer {
    do {
      let (node, viewer) = try await viewer()
      if let (file, parameters) = PageTable.download(at: request.path, for: viewer) {
        guard let query = request.query else { return EntryPages.malformed }
        let (name, text) = try await file.read(
          PageCall(node: node, viewer: viewer, parameters: parameters, query: query, now: WallClock.now()))
        return .file(name, text)
      }
      guard let (page, parameters) = PageTable.page(at: request.path, for: viewer) else {
        return fault(
          PageTable.hasPage(at: request.path)
            ? EntryPages.Fault(403, "This page is not yours to see.", back: "/")
            : EntryPages.Fault(404, "There is no such page.", back: "/"), viewer, session)
      }
      guard let query = request.query else { return EntryPages.malformed }
      let call = PageCall(
        node: node, viewer: viewer, parameters: parameters, query: query, now: WallClock.now(), pairings: pairings)
      let (title, data) = try await page.read(call)
      var all = frame(title, viewer, request.path, session)
      // A script that asks between a form and the page after it must not take the sentence away.
      if !request.isPart, let word = door.takeWord(cookie) {
        all["word"] = ["sentences": word.sentences, "isFault": word.isFault] as PageData
      }
      return .page(page.template, data.merging(all) { $1 })
    } catch { return fault(EntryPages.Fault(error, back: nil), nil, session) }
  }

  private func form(_ request: WebRequest, _ cookie: String, _ session: SessionTable.Session) async -> WebAnswer {
    guard let fields = await fields(of: request) else { return EntryPages.malformed }
    guard RequestCheck.isToken(fields["token"], of: session.token) else { return EntryPages.otherSite }
    if request.path == "/out" {
      door.signOut(cookie)
      return EntryPages.left
    }
    do {
      let (node, viewer) = try await viewer()
      guard let form = PageTable.form(at: request.path, for: viewer) else {
        return fault(
          PageTable.hasForm(at: request.path)
            ? EntryPages.Fault(403, "This is not yours to do.", back: "/")
            : EntryPages.Fault(404, "There is no such form.", back: "/"), viewer, session)
      }
      let call = FormCall(node: node, fields: fields, now: WallClock.now(), pairings: pairings) { [open] in
        try await open($0)
      }
      let outcome = try await form.act(call)
      if let shown = outcome.shown {
        let frame = frame(shown.title, viewer, "", session)
        return .page(shown.template, shown.data.merging(frame) { $1 }, status: shown.status)
      }
      if !outcome.sentences.isEmpty {
        door.tell(PageWord(sentences: outcome.sentences, isFault: outcome.isFault), cookie)
      }
      return .redirect(to: outcome.page)
    } catch { return fault(EntryPages.Fault(error, back: "/"), nil, session) }
  }

  /// Returns the node, and who looks at it: the role of the node says so.
  private func viewer() async throws -> (node: any NodeInterface, viewer: Viewer) {
    let node = try await open(nil)
    do throws(LocalAPIError) {
      let role = try await node.ask(Endpoints.getStatus).role
      return (node, role == .parent ? .parent : .child)
    } catch {
      guard error.code == .forbidden else { throw error }
      // In an account that children share, only this is answered until one has said who is there.
      _ = try await node.ask(Endpoints.getPresence)
      return (node, .child)
    }
  }

  private func frame(
    _ title: Phrase, _ viewer: Viewer?, _ path: String, _ session: SessionTable.Session
  ) -> PageData {
    let navigation = viewer.map { PageTable.navigation(for: $0, at: path) } ?? []
    return [
      "title": title, "assets": Assets.all.paths, "token": session.token,
      "key": Hexadecimal.encode(SecureRandom.bytes(Form.keyBytes)), "navigation": navigation,
      "hasNavigation": navigation.count > 1,
    ]
  }

  private func fault(
    _ fault: EntryPages.Fault, _ viewer: Viewer?, _ session: SessionTable.Session
  ) -> WebAnswer {
    if fault.status >= 500 { logger.notice("a page was not answered", metadata: ["why": "\(fault.sentence.worded())"]) }
    return EntryPages.page(fault, frame("Not done", viewer, "", session))
  }
}
