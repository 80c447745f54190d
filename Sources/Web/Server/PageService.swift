import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Logging
import Synchronization

/// A browser that was let in, with what pages and forms need of its session.
struct PageSession: Sendable {
  /// The token that each form carries.
  var token: String
  /// The right of a phone; `nil` for a browser of this machine.
  var right: BrowserRight?
  /// Returns the node with the rights of the browser.
  ///
  /// With an idempotency key, the node makes one edit once.
  var node: WebServer.Opening
  /// Returns the sentence for the next page, and removes it.
  var takeWord: @Sendable () -> PageWord?
  /// Keeps a sentence for the next page.
  var tell: @Sendable (PageWord) -> Void
  var signOut: @Sendable () async -> Void
}

/// The service that shows pages and carries out forms for browsers that were let in.
///
/// Spec: Protocol/15-pages.md §4.
struct PageService: Sendable {
  let logger: Logger
  /// The desk that lets phones in; `nil` if phones cannot be let in here.
  let phones: PhoneDesk?
  private let pairings = OpenPairings()
  private let absence = NodeAbsence()

  init(logger: Logger, phones: PhoneDesk?) { (self.logger, self.phones) = (logger, phones) }

  func page(_ request: WebRequest, _ session: PageSession) async -> WebAnswer {
    do {
      let (node, viewer) = try await viewer(session)
      if viewer == .parent, request.path == PhonesPage.filePath, let authority = phones?.folder.authority {
        return PhonePages.certificate(authority, isSaved: true)
      }
      if let (file, parameters) = PageTable.download(at: request.path, for: viewer) {
        guard let query = request.query else { return EntryPages.malformed }
        let (name, text) = try await file.read(
          PageCall(node: node, viewer: viewer, parameters: parameters, query: query, now: WallClock.now()))
        return .file(name, text)
      }
      guard let (page, parameters) = PageTable.page(at: request.path, for: viewer) else {
        return fault(
          PageTable.hasPage(at: request.path)
            ? viewer == .phone ? Self.notFromPhones : EntryPages.Fault(403, "This page is not yours to see.", back: "/")
            : EntryPages.Fault(404, "There is no such page.", back: "/"), viewer, session)
      }
      guard let query = request.query else { return EntryPages.malformed }
      let call = PageCall(
        node: node, viewer: viewer, parameters: parameters, query: query, now: WallClock.now(), pairings: pairings,
        phones: phones)
      let (title, data) = try await page.read(call)
      var all = frame(title, viewer, request.path, session)
      // A script may send a request between a form and the page after it. It must not take the
      // sentence.
      if !request.isPart, let word = session.takeWord() {
        all["word"] = ["sentences": word.sentences, "isFault": word.isFault] as PageData
      }
      return .page(page.template, data.merging(all) { $1 })
    } catch { return fault(fault(of: error, back: nil), nil, session) }
  }

  func form(_ request: WebRequest, _ session: PageSession) async -> WebAnswer {
    guard let fields = await FormFields.of(request) else { return EntryPages.malformed }
    guard RequestCheck.isToken(fields["token"], of: session.token) else { return EntryPages.otherSite }
    if request.path == "/out" {
      await session.signOut()
      return session.right == nil ? EntryPages.left : EntryPages.leftPhone
    }
    do {
      let (node, viewer) = try await viewer(session)
      guard let form = PageTable.form(at: request.path, for: viewer) else {
        return fault(
          PageTable.hasForm(at: request.path)
            ? viewer == .phone ? Self.notFromPhones : EntryPages.Fault(403, "This is not yours to do.", back: "/")
            : EntryPages.Fault(404, "There is no such form.", back: "/"), viewer, session)
      }
      // A form may ask a question, or say what would change, before the node refuses the change.
      guard session.right != .look else { return fault(Self.looks, viewer, session) }
      let call = FormCall(
        node: node, fields: fields, now: WallClock.now(), pairings: pairings, phones: phones,
        once: { try await session.node($0) })
      let outcome = try await form.act(call)
      if let shown = outcome.shown {
        let frame = frame(shown.title, viewer, "", session)
        return .page(shown.template, shown.data.merging(frame) { $1 }, status: shown.status)
      }
      if !outcome.sentences.isEmpty { session.tell(PageWord(sentences: outcome.sentences, isFault: outcome.isFault)) }
      return .redirect(to: outcome.page)
    } catch { return fault(fault(of: error, back: "/"), nil, session) }
  }

  /// Returns the answer to a phone if the node does not answer.
  ///
  /// The phone may be anyone's in the network. So the page about an absent node is the one for an
  /// unknown reader, without the node's folder and without a command.
  func unanswered(_ error: any Error) -> WebAnswer {
    // Only a full disk is named. Any other reason is not for a phone.
    let isStorage = (error as? LocalAPIError)?.code == .storage
    let fault = fault(of: isStorage ? error : LocalAPIError(.timeout, "The node is away."), back: nil)
    logger.notice("a phone was not answered", metadata: ["why": "\(error)"])
    return EntryPages.page(fault, EntryPages.bare("Not done"))
  }

  /// Notes that the node has answered a phone's request.
  func answered() { absence.answered(.phone) }

  /// Returns the page's fault for an error.
  ///
  /// If the node does not answer, it says since when.
  private func fault(of error: any Error, back: String?) -> EntryPages.Fault {
    if let sentence = absence.sentence(error, now: WallClock.now()) {
      return EntryPages.Fault(503, sentence, back: back)
    }
    return EntryPages.Fault(error, back: back)
  }

  /// Returns the node, and the viewer.
  private func viewer(_ session: PageSession) async throws -> (node: any NodeInterface, viewer: Viewer) {
    let (node, viewer) = try await asked(session)
    absence.answered(viewer)
    return (node, viewer)
  }

  /// Asks the node for its role, which decides who the viewer is.
  private func asked(_ session: PageSession) async throws -> (node: any NodeInterface, viewer: Viewer) {
    let node = try await session.node(nil)
    if session.right != nil { return (node, .phone) }
    do throws(LocalAPIError) {
      let role = try await node.ask(Endpoints.getStatus).role
      return (node, role == .parent ? .parent : .child)
    } catch {
      guard error.code == .forbidden else { throw error }
      // In a shared account, the node answers only this until a child has said that it is there.
      _ = try await node.ask(Endpoints.getPresence)
      return (node, .child)
    }
  }

  private static let notFromPhones = EntryPages.Fault(
    403, "That is done at the machine itself, and from no phone.", back: "/")
  private static let looks = EntryPages.Fault(
    403, "This phone was let in to look, and changes nothing: let it in anew as a parent's to do that with it.",
    back: "/")

  private func frame(_ title: Phrase, _ viewer: Viewer?, _ path: String, _ session: PageSession) -> PageData {
    let navigation = viewer.map { PageTable.navigation(for: $0, at: path) } ?? []
    return [
      "title": title, "assets": Assets.all.paths, "token": session.token,
      "key": Hexadecimal.encode(SecureRandom.bytes(Form.keyBytes)), "navigation": navigation,
      "hasNavigation": navigation.count > 1, "isPhone": session.right != nil, "isLooking": session.right == .look,
    ]
  }

  private func fault(_ fault: EntryPages.Fault, _ viewer: Viewer?, _ session: PageSession) -> WebAnswer {
    if fault.status >= 500 { logger.notice("a page was not answered", metadata: ["why": "\(fault.sentence.worded())"]) }
    return EntryPages.page(fault, frame("Not done", viewer, "", session))
  }
}

/// The time since which the node does not answer, for pages that show it.
final class NodeAbsence: Sendable {
  private struct State {
    var since: Int64?
    var isParents = false
  }

  private let state = Mutex(State())

  /// Notes that the node has answered a viewer.
  func answered(_ viewer: Viewer) { state.withLock { $0 = State(since: nil, isParents: viewer == .parent) } }

  /// Returns the sentence about a node that does not answer; `nil` for another error.
  ///
  /// A child or an unknown reader sees no path and no command of the node.
  func sentence(_ error: any Error, now: Int64) -> Phrase? {
    guard (error as? LocalAPIError)?.code == .timeout else { return nil }
    let (since, isParents) = state.withLock { state in
      state.since = min(state.since ?? now, now)
      return (state.since ?? now, state.isParents)
    }
    let time = ["time": Phrase.Argument.phrase(PageClock(now: now).moment(since))]
    return isParents
      ? Phrase(
        """
        Latchkey has not answered on this machine since {time}. This page tries again by itself; if that goes on, \
        `latchkey doctor` says why.
        """, time)
      : Phrase("Latchkey has not answered on this machine since {time}. This page tries again by itself.", time)
  }
}
