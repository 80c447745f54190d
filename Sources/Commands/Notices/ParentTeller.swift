import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The notices on a parent's desktop, each shown once, with buttons that answer what children ask.
///
/// Spec: Protocol/07-local-api.md §4.
struct ParentTeller {
  /// The name by which the node keeps what was told on the desktop.
  static let receiver = "desktop"
  /// The seconds until the next look while it waits for something that no change announces, such as
  /// the end of the day.
  private static let longestPause = 60
  /// The most answers that are remembered; the oldest are forgotten first.
  private static let mostAnswered = 64

  private let node: NodeOptions
  private var notices: ShownNotices
  /// The open requests of each notice that is shown.
  private var questions: [String: ParentQuestion] = [:]
  /// The answers of this machine whose requests are still listed.
  ///
  /// Another parent's answer may turn out to be the earlier one.
  private var answered: [(notice: ParentNotice, request: RequestListing)] = []
  /// The place that the node keeps, as far as it is known.
  private var position = 0
  /// The seconds until the next look; `nil` if it waits for a change.
  private(set) var pause: Int?
  /// A Boolean value that indicates whether the machine is a parent's.
  private(set) var hasLooked = false
  private var hasTakenOver = false

  init(_ node: NodeOptions, on desktop: any NotificationDesktop) {
    self.node = node
    notices = ShownNotices(desktop, memory: ShownMemory(TerminalEnvironment.current.variables))
  }

  /// Shows what the node has not told yet, and withdraws what is answered or over.
  mutating func look() async throws {
    (hasLooked, pause) = (true, Self.longestPause)
    let node = try await node.open()
    try await takeOver(at: node)
    let told = try await node.ask(Endpoints.getNotices, Self.receiver)
    let isAsked = !questions.isEmpty || !answered.isEmpty || told.notices.contains { $0.kind == .asked }
    let requests = isAsked ? try await node.ask(Endpoints.getRequests, nil) : []
    let open = requests.filter { $0.state == .open }
    if told.quietUntil == nil { try correct(requests) }
    let ids = Set(open.map(\.requestID))
    for (key, question) in questions where ids.isDisjoint(with: question.requests.map(\.requestID)) { withdraw(key) }
    for notice in told.notices {
      try tell(notice, open)
      // At once, since a crash in between tells it twice.
      try await keep(notice.number, at: node)
    }
    if told.quietUntil == nil { try await keep(told.position, at: node) }
    let untilLoud = told.quietUntil.map {
      Int(min(max(1, ($0 - TerminalEnvironment.current.now()) / 1_000 + 1), 3_600))
    }
    pause = [untilLoud, questions.isEmpty ? nil : Self.longestPause].compactMap(\.self).min()
  }

  /// Takes over what an earlier notifier, which was killed, has shown: open questions can still be
  /// answered there, and the rest is withdrawn.
  private mutating func takeOver(at node: any NodeInterface) async throws {
    guard !hasTakenOver else { return }
    let recalled = notices.recalled()
    if !recalled.isEmpty {
      let told = try await node.ask(Endpoints.getNotices, nil).notices
      let open = try await node.ask(Endpoints.getRequests, nil).filter { $0.state == .open }
      for (key, id) in recalled {
        let notice = told.last { $0.key == key }
        guard let question = notice.map({ ParentQuestion($0, open: open) }), !question.requests.isEmpty else {
          notices.withdraw(id)
          continue
        }
        // Services such as dunst tell of a button only to the program that showed it last.
        notices.adopt(id, question.shown(), key: key)
        try notices.show(question.shown(), key: key)
        questions[key] = question
      }
    }
    hasTakenOver = true
  }

  private mutating func keep(_ number: Int, at node: any NodeInterface) async throws {
    guard number > position else { return }
    _ = try await node.ask(Endpoints.setPosition, (Self.receiver, ReceiverPosition(position: number)))
    position = number
  }

  private mutating func tell(_ notice: ParentNotice, _ open: [RequestListing]) throws(NotificationFault) {
    let question = ParentQuestion(notice, open: open)
    if notice.isOver || notice.kind == .asked && question.requests.isEmpty {
      // The outcome of a question that was answered here is shown for its time.
      if notice.kind != .asked || questions[notice.key] != nil { withdraw(notice.key) }
      return
    }
    questions[notice.key] = nil
    guard notice.kind == .asked else {
      return try notices.show(.init(title: Self.title(notice), sentence: notice.sentence), key: notice.key)
    }
    try notices.show(question.shown(), key: notice.key)
    questions[notice.key] = question
  }

  /// Shows what counts where another answer than the one that was given here turns out to do so.
  private mutating func correct(_ requests: [RequestListing]) throws(NotificationFault) {
    var rest: [(notice: ParentNotice, request: RequestListing)] = []
    for (notice, given) in answered {
      guard let listed = requests.first(where: { $0.requestID == given.requestID }) else { continue }
      guard let holds = listed.answer, let own = given.answer,
        holds.isApproved != own.isApproved || holds.minutes != own.minutes
      else {
        rest.append((notice, given))
        continue
      }
      rest.append((notice, listed))
      let sentence =
        "Another parent answered \(listed.childName)’s request earlier, which counts: \(ShownText.worded(RequestText.phrase(listed)))."
      // Not in the place of a later question.
      let key = questions[notice.key] == nil ? notice.key : "corrected/\(notice.key)"
      try notices.show(.init(title: Self.title(notice), sentence: sentence), key: key)
    }
    answered = rest
  }

  private mutating func withdraw(_ key: String) {
    questions[key] = nil
    notices.withdraw(key)
  }

  mutating func handle(_ event: NotificationService.Event) async throws {
    switch event {
    case .pressed(let id, let action):
      guard let key = notices.key(of: id), let question = questions[key] else { return }
      try await answer(question, action, key)
    case .closed(let id):
      if let key = notices.key(of: id) { questions[key] = nil }
      notices.forget(id)
    case .replaced(let generation): try notices.showAgain(by: generation)
    case .lost: break
    }
  }

  /// Answers a question by what was pressed, and shows what became of it for a while.
  private mutating func answer(_ question: ParentQuestion, _ action: String, _ key: String) async throws {
    guard let answer = AnswerButton(rawValue: action) else {
      return try notices.show(question.shown(question.words), key: key)
    }
    let (left, outcome, done) = await question.answered(answer) { [node] in try await node.open() }
    questions[key] = left
    answered = (answered + done.map { (question.notice, $0) }).suffix(Self.mostAnswered)
    if let left { return try notices.show(left.shown(outcome), key: key) }
    try notices.show(.init(title: Self.title(question.notice), sentence: outcome), key: key)
  }

  static func title(_ notice: ParentNotice) -> String {
    switch notice.kind {
    case .asked: "\(notice.child?.text ?? "A child") asks"
    case .limitReached: "Time is up"
    case .machineSilent: "Machine silent"
    case .machineBack: "Machine back"
    case .rulesWeakened: "Rules weakened"
    case .ruleNotInForce: "Not in force"
    case .parentJoined: "New parent’s machine"
    case .learningHeld: "Learning to review"
    }
  }
}

/// A notice of what a child asks, with its requests that wait for an answer.
private struct ParentQuestion {
  let notice: ParentNotice
  let requests: [RequestListing]

  init(_ notice: ParentNotice, open: [RequestListing]) {
    (self.notice, requests) = (notice, open.filter { notice.requests.contains($0.requestID) })
  }

  private var answers: [AnswerButton] { AnswerButton.fitting(requests) }

  /// The commands that answer it in a terminal.
  var words: String {
    let id = requests.count == 1 ? " \(requests[0].short)" : " ID"
    let minutes = answers.contains(.half) ? " --minutes 30" : ""
    let list = requests.count == 1 ? "" : "; `latchkey requests` lists the IDs"
    return "In a terminal, type `latchkey approve\(id)\(minutes)` or `latchkey deny\(id)`\(list)."
  }

  /// Returns the notice as it is shown, with a further sentence.
  func shown(_ more: String = "") -> ShownNotices.Notice {
    ShownNotices.Notice(
      title: ParentTeller.title(notice), sentence: notice.sentence + (more.isEmpty ? "" : " \(more)"),
      actions: [.init("default", "Show the command")] + answers.map { .init($0.rawValue, $0.label) },
      words: more == words ? "" : words, stays: true)
  }

  /// Answers all requests; `left` holds those that could not be answered yet.
  func answered(
    _ button: AnswerButton, _ open: () async throws -> any NodeInterface
  ) async -> (left: ParentQuestion?, outcome: String, answered: [RequestListing]) {
    var (left, sentences, done) = ([RequestListing](), [String](), [RequestListing]())
    for request in requests {
      do {
        let (node, answer) = (try await open(), button.answer(to: request))
        let answered = try await node.ask(Endpoints.answerRequest, answer)
        done.append(answered)
        sentences += await RequestText.outcome(
          answered, isApproved: answer.isApproved, minutes: answer.minutes, at: node)
      } catch {
        sentences.append(TerminalFailure(error)?.sentence ?? "\(error)")
        let code = (error as? LocalAPIError)?.code
        // A request that was answered before, or is gone, needs no answer.
        if code != .tooLate, code != .unknownItem { left.append(request) }
      }
    }
    var said: [String] = []
    for sentence in sentences where !said.contains(sentence) { said.append(sentence) }
    return (left.isEmpty ? nil : ParentQuestion(notice, open: left), said.joined(separator: " "), done)
  }
}
