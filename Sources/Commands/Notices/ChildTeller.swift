import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The notices on a child's desktop: what closes soon, what was closed, and what parents answer.
struct ChildTeller {
  /// The age at which a notice is no longer news.
  private static let staleMilliseconds: Int64 = 120_000
  /// The minutes for which a button asks.
  private static let minutes = 15

  private let node: NodeOptions
  private let language = TerminalEnvironment.current.language
  private var notices: ShownNotices
  /// Notices that are not shown yet, because the desktop shows nothing.
  private var waiting: [ChildNotice] = []

  init(_ node: NodeOptions, on desktop: any NotificationDesktop) {
    (self.node, notices) = (node, ShownNotices(desktop))
  }

  /// Shows a notice, and those that could not be shown before.
  mutating func tell(_ notice: ChildNotice) throws(NotificationFault) {
    waiting.append(notice)
    try showWaiting()
  }

  private mutating func showWaiting() throws(NotificationFault) {
    while let notice = waiting.first {
      if BootClock.now() - notice.at < Self.staleMilliseconds {
        try notices.show(Self.shown(notice, in: language), key: notice.key)
      }
      waiting.removeFirst()
    }
  }

  mutating func handle(_ event: NotificationService.Event) async throws {
    switch event {
    case .pressed(let id, _):
      if let key = notices.key(of: id), key == Self.screenTime || Self.app(key) != nil { try await ask(key) }
    case .closed(let id): notices.forget(id)
    case .replaced(let generation):
      try notices.showAgain(by: generation)
      try showWaiting()
    case .lost: break
    }
  }

  /// Asks the parents for more time for what closes soon, and shows what became of it.
  private mutating func ask(_ key: String) async throws {
    do {
      let asked = try await request(Self.app(key), at: node.open())
      // The answer takes its place.
      notices.move(key, to: "request/\(asked.requestID)")
      try notices.show(
        ShownNotices.Notice(
          title: ShownText.worded("Asked", in: language),
          sentence: RequestText.asked(asked, now: TerminalEnvironment.current.now(), in: language)),
        key: "request/\(asked.requestID)")
    } catch let fault as NotificationFault {
      throw fault
    } catch {
      guard let sentence = TerminalFailure(error)?.sentence else { throw error }
      try notices.show(
        ShownNotices.Notice(title: ShownText.worded("Not asked", in: language), sentence: sentence), key: key)
    }
  }

  private func request(_ app: String?, at node: any NodeInterface) async throws -> RequestListing {
    var request = AskRequest(minutes: Self.minutes, app: app)
    // An application that closes with all others needs more screen time.
    if let app, let today = try? await node.ask(Endpoints.getOwnToday),
      let verdict = today.apps.first(where: { $0.appID.text == app })?.verdict, verdict.rule == today.screen.rule
    {
      request.app = nil
    }
    return try await node.ask(Endpoints.ask, request)
  }

  /// The key of notices about the whole session.
  private static let screenTime = "sessions"

  /// Returns the application that a notice is about.
  private static func app(_ key: String) -> String? { key.hasPrefix("app/") ? String(key.dropFirst(4)) : nil }

  private static func shown(_ notice: ChildNotice, in language: Language) -> ShownNotices.Notice {
    var shown = ShownNotices.Notice(
      title: ShownText.worded(title(notice.kind), in: language), sentence: notice.sentence.worded(in: language))
    if notice.kind == .warned, notice.key == screenTime || app(notice.key) != nil {
      let time = ["minutes": Phrase.Argument.number(minutes)]
      shown.actions = [.init("ask", ShownText.worded(Phrase("Ask for {minutes} min", time), in: language))]
      shown.words = ShownText.worded(Phrase("To ask for more, type `latchkey ask {minutes}m`.", time), in: language)
    }
    return shown
  }

  private static func title(_ kind: ChildNotice.Kind) -> Phrase {
    switch kind {
    case .warned: Phrase("Closes soon")
    case .closed: Phrase("Closed")
    case .lessTime: Phrase("Less time today")
    case .approved: Phrase("Your parents say yes")
    case .denied: Phrase("Your parents say no")
    }
  }
}
