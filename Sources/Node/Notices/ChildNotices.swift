import LatchkeyAgentProtocol
import LatchkeyModel
import Synchronization

/// The latest notices for the children of this machine, in memory alone.
///
/// Spec: Protocol/07-local-api.md §4.
final class NoticeBoard: Sendable {
  /// The most notices that are kept for a child; the oldest are forgotten first.
  static let capacity = 64
  /// Milliseconds within which the same sentence about the same thing is not told again.
  static let repetitionMilliseconds: Int64 = 10_000

  enum Reader: Hashable, Sendable {
    case child(ChildID)
    /// Whoever uses an account that several children share while none has said who is there.
    case account(UInt32)
  }

  private struct State {
    var last: Int
    var notices: [Reader: [ChildNotice]] = [:]
  }

  private let state: Mutex<State>
  let changes = ChangeSignal()

  /// Creates an empty board; `first` has grown since an earlier run in the same boot, as the
  /// microseconds of the boot clock have.
  init(numbersFrom first: Int) { state = Mutex(State(last: max(0, first))) }

  /// Adds a notice in the place of an earlier one with the same key.
  func post(_ kind: ChildNotice.Kind, key: String, _ sentence: Phrase, to reader: Reader, at instant: BootInstant) {
    let isNews = state.withLock { state in
      var notices = state.notices[reader] ?? []
      if let old = notices.first(where: { $0.key == key }), old.kind == kind, old.sentence == sentence,
        abs(instant - old.at) < Self.repetitionMilliseconds
      {
        return false
      }
      notices.removeAll { $0.key == key }
      state.last += 1
      notices.append(ChildNotice(number: state.last, key: key, kind: kind, sentence: sentence, at: instant))
      state.notices[reader] = Array(notices.suffix(Self.capacity))
      return true
    }
    if isNews { changes.notify() }
  }

  /// Returns the notices with a higher number, the oldest first.
  func notices(for reader: Reader, after number: Int) -> [ChildNotice] {
    state.withLock { state in (state.notices[reader] ?? []).filter { $0.number > number } }
  }

  func keep(_ children: [ChildID]) {
    state.withLock { state in
      state.notices = state.notices.filter { reader, _ in
        if case .child(let child) = reader { children.contains(child) } else { true }
      }
    }
  }
}

/// Something that a child is told at once, such as that a program closes soon.
package struct ChildNotice: Hashable, Sendable, Codable {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case warned
    /// A program was closed or paused.
    case closed
    case approved
    case denied
    case lessTime
  }

  /// The key of notices about programs that are no known application.
  package static let unknownKey = "unknown"

  /// It grows with each notice of the machine during a boot.
  package var number: Int
  /// A notice takes the place of earlier ones with the same key.
  package var key: String
  package var kind: Kind
  package var sentence: Phrase
  /// When it happened, on the boot clock of the child's machine.
  package var at: BootInstant
}

extension NodeContext {
  /// Tells the child what the agent has reported, if it concerns the child.
  ///
  /// A report that arrives late is told as what it is now, and not at all if it is over.
  func tellChild(of report: AgentReport) async {
    switch report.event {
    case .warned(let account, let app, let left):
      let rest = left - max(0, now() - report.at)
      guard rest > 0, let reason = enforcementState.terms(of: app, in: account)?.reason else { return }
      await tell(
        .warned, Self.key(app), account,
        ClosingSentence.warning(reason: reason, left: rest, phrase: enforcementState.phrase(of:)), at: report.at)
    case .closed(let use, let deed, let reason, _):
      let grace = enforcementState.terms(of: use.app, in: use.account)?.graceMilliseconds ?? ProgramTerms.usualGrace
      let isSaving = deed == .asked && grace > ProgramTerms.usualGrace
      await tell(
        isSaving ? .warned : .closed, Self.key(use.app), use.account,
        ClosingSentence.closed(
          reason: reason, deed: deed, graceMilliseconds: grace, phrase: enforcementState.phrase(of:)), at: report.at)
    case .sessionsWarned(let account, let left, let reason):
      let rest = left - max(0, now() - report.at)
      guard rest > 0 else { return }
      await tell(
        .warned, "sessions", account,
        ClosingSentence.sessionsWarning(reason: reason, left: rest, phrase: enforcementState.phrase(of:)),
        at: report.at)
    case .sessionsClosed(let account, false, let reason):
      await tell(
        .closed, "sessions", account,
        ClosingSentence.sessionsClosed(reason: reason, phrase: enforcementState.phrase(of:)), at: report.at)
    default: return
    }
  }

  private static func key(_ app: AppID?) -> String { app.map { "app/\($0.text)" } ?? ChildNotice.unknownKey }

  private func tell(
    _ kind: ChildNotice.Kind, _ key: String, _ account: UInt32, _ sentence: Phrase, at instant: BootInstant
  ) async {
    let reader: NoticeBoard.Reader
    switch try? await readHousehold().user(of: account, on: own) {
    case .child(let child): reader = .child(child)
    case .together: reader = .account(account)
    case .nobody, nil: return
    }
    notices.post(kind, key: key, sentence, to: reader, at: instant)
  }
}

/// A service that tells children of the answers to their requests as they arrive.
///
/// Answers that were known when the node started are not told: `latchkey me` shows them.
struct AnswerNoticeService: Sendable {
  let node: NodeService

  func run() async {
    let context = node.context
    var known: Set<CommandID>?
    await context.factNews.follow {
      if let told = await look(known) { known = told }
      context.firstLooks.made(.answers)
      // Until the first look has succeeded, it is tried again after a pause.
      return known == nil ? 1_000 : nil
    }
  }

  /// Tells of new answers, and returns the answered requests; `nil` if the disk refuses.
  private func look(_ known: Set<CommandID>?) async -> Set<CommandID>? {
    guard let household = try? await node.context.readHousehold() else { return nil }
    let context = node.context
    var answered: Set<CommandID> = []
    let children = household.children(of: context.own)
    for child in children {
      guard let requests = try? await node.call().requests(of: child) else { return nil }
      for request in requests {
        guard let answer = request.answer else { continue }
        answered.insert(request.requestID)
        guard let known, !known.contains(request.requestID) else { continue }
        context.notices.post(
          answer.isApproved ? .approved : .denied, key: "request/\(request.requestID)",
          Self.sentence(request, answer), to: .child(child), at: context.now())
      }
    }
    context.notices.keep(children)
    return answered
  }

  /// Returns a sentence such as “Kitchen laptop says yes to 30 min for Kart: then bed”.
  static func sentence(_ request: RequestListing, _ answer: RequestListing.Answer) -> Phrase {
    let arguments: [String: Phrase.Argument] = [
      "parent": .text("\(answer.by)"), "wish": .phrase(wish(request, answer)), "word": .text(answer.word),
    ]
    switch (answer.isApproved, answer.word.isEmpty) {
    case (true, true): return Phrase("“{parent}” says yes to {wish}.", arguments)
    case (true, false): return Phrase("“{parent}” says yes to {wish}: {word}", arguments)
    case (false, true): return Phrase("“{parent}” says no to {wish}.", arguments)
    case (false, false): return Phrase("“{parent}” says no to {wish}: {word}", arguments)
    }
  }

  private static func wish(_ request: RequestListing, _ answer: RequestListing.Answer) -> Phrase {
    guard let minutes = answer.minutes ?? request.minutes else {
      return request.appName.map { Phrase(verbatim: $0) } ?? Phrase("what you asked for")
    }
    let time = Phrase.Argument.phrase(SpanText.phrase(minutes: minutes))
    guard request.appName != nil || request.category != nil else { return Phrase("{time} more", ["time": time]) }
    return request.wish(minutes: minutes)
  }
}
