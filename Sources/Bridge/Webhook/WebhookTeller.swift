import LatchkeyModel
import LatchkeyNode

/// The sender of a webhook: it delivers each notice once, and a question again when it is over.
///
/// Spec: Protocol/14-bridge.md §3.
actor WebhookTeller {
  /// A waiting call, with the tries that failed.
  private struct Waiting {
    var call: WebhookCall
    /// The question that is over; `nil` for a new notice.
    var question: ParentNotice?
    /// The time of the first try.
    var began: ContinuousClock.Instant?
    var failures = 0
    /// A Boolean value that indicates whether the call was given up.
    var isPassedOver = false
    /// A Boolean value that indicates whether the server has taken the call, or may have.
    var isPerhapsTaken = false
  }

  /// The time after which a failing call is given up.
  private static let longest: Duration = .seconds(86_400)
  /// The fewest tries before a call is given up.
  private static let fewestTries = 5
  /// The largest number of waiting calls about questions that are over: one for each question.
  private static let mostOver = ToldQuestions.most

  private let settings: WebhookSettings
  private let bridge: Bridge
  private let send: @Sendable (WebhookCall) async -> Result<WebAnswer, WebFault>
  private let now: @Sendable () -> ContinuousClock.Instant

  private var questions: ToldQuestions
  private var answers: ToldAnswers
  private var record: QuestionRecord
  /// The fault of the record of questions; `nil` for none.
  private var recordFault: String?
  private var over: [Waiting] = []
  /// The question that is being delivered.
  ///
  /// The server may have it before the bridge knows.
  private var telling: ParentNotice?
  /// The notice that is being delivered, and its number.
  private var current: (number: Int, waiting: Waiting)?
  private var backoff = Backoff(first: .seconds(1), longest: .seconds(1_800))
  private var nextTry: ContinuousClock.Instant?
  /// A Boolean value that indicates whether the server has answered that it is gone for good.
  private var isGone = false

  init(
    _ settings: WebhookSettings, _ bridge: Bridge, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    send: @escaping @Sendable (WebhookCall) async -> Result<WebAnswer, WebFault>
  ) {
    (self.settings, self.bridge, self.now, self.send) = (settings, bridge, now, send)
    record = QuestionRecord(bridge.record)
    questions = ToldQuestions(record.content?.questions ?? [])
    answers = ToldAnswers(record.content?.answers ?? [])
  }

  /// The number of calls that wait for the server.
  var waiting: Int { over.count + (current == nil ? 0 : 1) }

  /// Delivers new notices and questions that are over, and returns the time until the next look;
  /// `nil` to wait for a change.
  func look() async throws -> Duration? {
    if isGone { return nil }
    let (told, requests) = try await bridge.news(withRequests: !questions.isEmpty || !answers.isEmpty)
    let known = answers.entries.count
    for other in answers.corrected(requests) { append(other, isCorrection: true) }
    if answers.entries.count < known { keepQuestions() }
    for settled in questions.settled(requests) {
      answers.told(settled.requests, of: settled.notice)
      append(settled, isCorrection: false)
    }
    while var first = over.first {
      let isDone = await deliver(&first)
      over[0] = first
      guard isDone else { return pause() }
      over.removeFirst()
      keepQuestions()
      if !first.isPassedOver { await bridge.report(recordFault) }
    }
    for notice in told.notices {
      var isTaken = false
      let asked = requests.filter { notice.requests.contains($0.requestID) }
      if !notice.isOver, notice.kind != .asked || asked.contains(where: { $0.state == .open }) {
        var waiting = Waiting(call: WebhookCall(notice, asked, settings))
        if let current, current.number == notice.number {
          (waiting.began, waiting.failures) = (current.waiting.began, current.waiting.failures)
        }
        let isDone = await tell(notice, &waiting)
        current = (notice.number, waiting)
        guard isDone else { return pause() }
        current = nil
        isTaken = !waiting.isPassedOver
      }
      // The position moves at once, because a crash in between would tell the notice twice.
      try await bridge.keep(notice.number)
      // Afterwards, so that nothing is told again once nothing is wrong any more.
      if isTaken { await bridge.report(recordFault) }
    }
    return try await bridge.rest(after: told, hasQuestions: !questions.isEmpty)
  }

  /// Queues a call about a question that is over.
  private func append(_ settled: ToldQuestions.Settled, isCorrection: Bool) {
    var notice = settled.notice
    notice.isOver = true
    let call = WebhookCall(notice, settled.requests, settings, isCorrection: isCorrection)
    over.append(Waiting(call: call, question: isCorrection ? nil : settled.notice))
    if over.count > Self.mostOver { over.removeFirst() }
  }

  /// Delivers a notice, and returns whether it needs no further try.
  ///
  /// A question is recorded before the server gets it, and stays recorded if the server may have
  /// taken it. Otherwise it would be shown there for ever if this process ended in between, or if
  /// it was answered before the next try.
  private func tell(_ notice: ParentNotice, _ waiting: inout Waiting) async -> Bool {
    if let nextTry, now() < nextTry { return false }
    if notice.kind == .asked {
      telling = notice
      keepQuestions()
    }
    let isDone = await deliver(&waiting)
    telling = nil
    if waiting.isPerhapsTaken { questions.told(notice) }
    keepQuestions()
    if isDone, let recordFault { await bridge.report(recordFault) }
    return isDone
  }

  /// Records the questions that are delivered again once they are over.
  private func keepQuestions() {
    let notices = over.compactMap(\.question) + questions.notices + [telling].compactMap(\.self)
    recordFault = record.keep(notices, answers: answers.entries) ? nil : record.fault
  }

  private func pause() -> Duration? { isGone ? nil : max(.milliseconds(100), nextTry.map { $0 - now() } ?? .zero) }

  /// Sends a call, unless a pause after a failure is not over.
  ///
  /// Returns whether the call needs no further try: it was taken or given up.
  private func deliver(_ waiting: inout Waiting) async -> Bool {
    if let nextTry, now() < nextTry { return false }
    let began = waiting.began ?? now()
    waiting.began = began
    let sentence: String
    var asked: Duration?
    switch await send(waiting.call) {
    case .success(let answer) where answer.isSuccess:
      backoff.succeeded()
      (nextTry, waiting.isPerhapsTaken) = (nil, true)
      return true
    case .success(let answer):
      sentence = Self.sentence(answer.status, of: settings.url.server)
      (asked, waiting.isPerhapsTaken) = (answer.retryAfter, answer.isDoubtful)
      if answer.status == 410 { isGone = true }
    case .failure(let fault):
      (sentence, waiting.isPerhapsTaken) = (fault.sentence(of: settings.url.server), fault.isDoubtful)
    }
    guard !Task.isCancelled else { return false }
    if isGone {
      await bridge.report(sentence)
      return false
    }
    waiting.failures += 1
    nextTry = now() + backoff.failed(asked: asked)
    let isOld = now() - began >= Self.longest
    guard isOld, waiting.failures >= Self.fewestTries else {
      await bridge.report(sentence)
      return false
    }
    waiting.isPassedOver = true
    bridge.passOver(sentence)
    await bridge.report("\(sentence) A notice was not taken for a day and is passed over.")
    return true
  }

  /// Returns one sentence about the status of a failure: the fault and the next step.
  static func sentence(_ status: Int, of server: String) -> String {
    switch status {
    case 300..<400: "\(server) sends callers elsewhere (status \(status)): add the receiver with that address."
    case 401, 403: "\(server) refuses the calls (status \(status)): see whether it has the key of the signatures."
    case 404, 405: "\(server) has nothing at that address (status \(status)): check the URL."
    case 410:
      "\(server) says that it is gone for good (status 410), and is called no more: remove the receiver, or start "
        + "its bridge again."
    case 413: "\(server) finds the notice too large (status 413): see its limits."
    case 429: "\(server) takes no more calls for now (status 429). It is tried again."
    case 500...: "\(server) has a fault of its own (status \(status)): see its log. It is tried again."
    default: "\(server) refuses with status \(status): see its log. It is tried again."
    }
  }
}
