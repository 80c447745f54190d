import FoundationEssentials
import LatchkeyModel
import LatchkeyNode

/// The publisher of an ntfy server: it sends each notice once, and the outcomes of questions.
///
/// Spec: Protocol/14-bridge.md §2.
actor NtfyTeller {
  /// The part of the receiver that has a fault.
  enum Side: Int, CaseIterable {
    case publishing
    case reading
    case topic
    case record
  }

  /// A message about the outcome of a question.
  private struct Outcome {
    var place: String
    var text: String
    /// The questions that the message is about, as far as they are known.
    var questions: [ParentNotice] = []
  }

  /// The largest number of waiting outcomes: one for each question.
  private static let mostOutcomes = ToldQuestions.most
  /// The number of refusals after which a message is given up.
  private static let mostRefusals = 3

  /// The result of publishing a message.
  private enum Sending {
    case taken
    /// The server refuses it for good.
    ///
    /// It is not tried again.
    case passedOver
    /// It is tried again.
    ///
    /// The server may have taken it.
    case doubtful
    /// It is tried again.
    ///
    /// The server has not taken it.
    case failed

    /// A Boolean value that indicates whether the message needs no further try.
    var isOver: Bool { self == .taken || self == .passedOver }
  }

  private let settings: NtfySettings
  private let bridge: Bridge
  private let client: any WebPosting
  private let now: @Sendable () -> ContinuousClock.Instant

  private var questions: ToldQuestions
  private var answers: ToldAnswers
  private var record: QuestionRecord
  private var hasRecovered: Bool
  /// The last message on the buttons' topic that this run or an earlier one has handled.
  private(set) var lastRead: String?
  private var outcomes: [Outcome] = []
  /// The question that is being published.
  ///
  /// The server may have it before the bridge knows.
  private var telling: ParentNotice?
  /// The requests that a press is answering.
  ///
  /// The press itself tells their outcome.
  private var answering: Set<CommandID> = []
  /// The outcomes of questions that arrived while a press was answering them.
  private var held: [ToldQuestions.Settled] = []
  private var isFlushing = false
  private var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
  private var nextTry: ContinuousClock.Instant?
  private var refusals = 0
  /// A Boolean value that indicates whether the server replaces earlier messages by later ones.
  ///
  /// `nil` before its first answer.
  private var hasSequences: Bool?
  private var faults: [Side: String] = [:]

  init(
    _ settings: NtfySettings, _ bridge: Bridge, _ client: any WebPosting,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.settings, self.bridge, self.client, self.now) = (settings, bridge, client, now)
    record = QuestionRecord(bridge.record)
    questions = ToldQuestions(record.content?.questions ?? [])
    answers = ToldAnswers(record.content?.answers ?? [])
    hasSequences = record.content?.replaces
    lastRead = record.content?.read.flatMap { NtfyEvent.isPlain($0) ? $0 : nil }
    // The record of an earlier run has everything that the phone shows.
    hasRecovered = record.content != nil
  }

  /// The number of outcomes that wait for the server.
  var waiting: Int { outcomes.count + held.count }

  /// Publishes new notices and the outcomes of questions, and returns the time until the next look;
  /// `nil` to wait for a change.
  func look() async throws -> Duration? {
    let before = hasRecovered ? [] : try await bridge.node().ask(Endpoints.getRequests, nil)
    let (told, requests) = try await bridge.news(withRequests: !hasRecovered || !questions.isEmpty || !answers.isEmpty)
    if !hasRecovered, told.quietUntil == nil {
      // A request has a notice from its beginning. So none of these requests still waits for its
      // first notice.
      questions.recover(before, besides: told.notices)
      hasRecovered = true
    }
    for other in answers.corrected(requests) {
      say([settings.detail.correction(other.requests)], in: NtfyMessage.place(other.notice), [])
    }
    for settled in questions.settled(requests) { note(settled) }
    // A record means that everything that the phone shows is known.
    if hasRecovered { await keepQuestions() }
    guard await flush() else { return pause() }
    for notice in told.notices {
      let open = requests.filter { $0.state == .open && notice.requests.contains($0.requestID) }
      if !notice.isOver, notice.kind != .asked || !open.isEmpty {
        guard await tell(notice, open) else { return pause() }
      }
      // The position moves at once, because a crash in between would tell the notice twice.
      try await bridge.keep(notice.number)
    }
    return try await bridge.rest(after: told, hasQuestions: !questions.isEmpty)
  }

  /// Publishes a notice, and returns whether it needs no further try.
  ///
  /// A question is recorded before the server gets it, and stays recorded if the server may have
  /// taken it. Otherwise the phone would show its buttons for ever if this process ended in
  /// between, or if the question was answered before the next try.
  private func tell(_ notice: ParentNotice, _ open: [RequestListing]) async -> Bool {
    if let nextTry, now() < nextTry { return false }
    if notice.kind == .asked {
      telling = notice
      await keepQuestions()
    }
    let sending = await publish(NtfyMessage(notice, open, settings, pages: bridge.pages()))
    telling = nil
    if sending == .taken || sending == .doubtful { questions.told(notice) }
    await keepQuestions()
    return sending.isOver
  }

  /// Queues the outcome of a question that was answered elsewhere or whose day is over.
  private func note(_ settled: ToldQuestions.Settled) {
    guard !settled.notice.requests.contains(where: { answering.contains($0) }) else { return held.append(settled) }
    let answered = settled.requests.filter { $0.answer != nil }
    // A phone that keeps showing the question gets no message late at night that nobody answered.
    guard !answered.isEmpty || hasSequences != false else { return }
    let sentences = answered.isEmpty ? [settled.unanswered] : answered.map(settings.detail.outcome)
    answers.told(answered, of: settled.notice)
    say(sentences, in: NtfyMessage.place(settled.notice), [settled.notice])
  }

  /// Queues a message about a question.
  private func say(_ sentences: [String], in place: String, _ questions: [ParentNotice]) {
    outcomes.append(Outcome(place: place, text: Self.joined(sentences), questions: questions))
    if outcomes.count > Self.mostOutcomes { outcomes.removeFirst() }
  }

  private static func joined(_ sentences: [String]) -> String {
    var said: [String] = []
    for sentence in sentences where !said.contains(sentence) { said.append(sentence) }
    return said.joined(separator: " ")
  }

  /// Joins the waiting messages into one, if the server would show each on its own.
  private func gather() {
    guard hasSequences == false, outcomes.count > 1, let last = outcomes.last else { return }
    outcomes = [
      Outcome(place: last.place, text: Self.joined(outcomes.map(\.text)), questions: outcomes.flatMap(\.questions))
    ]
  }

  /// Records the questions that the phone shows, also those whose outcome waits for the server.
  private func keepQuestions() async {
    let notices = outcomes.flatMap(\.questions) + held.map(\.notice) + questions.notices + [telling].compactMap(\.self)
    let isKept = record.keep(notices, answers: answers.entries, replaces: hasSequences, read: lastRead)
    let fault = isKept ? nil : record.fault
    if fault != faults[.record] { await report(fault, .record) }
  }
}

// MARK: - Presses

extension NtfyTeller {
  /// Records the last message that was read on the buttons' topic.
  func hasRead(_ message: String) async {
    lastRead = message
    // A record means that everything that the phone shows is known.
    if hasRecovered { await keepQuestions() }
  }

  /// Notes that a press is answering requests.
  func begins(_ requests: [CommandID]) { answering.formUnion(requests) }

  /// Notes that a press was handled, and tells the phone quietly.
  ///
  /// `sentences` is empty if the press was too late. `isAnswered` indicates whether none of its
  /// requests is open any more.
  func ended(_ requests: [CommandID], _ sentences: [String], isAnswered: Bool, answered: [RequestListing] = []) async {
    let notice = requests.lazy.compactMap { self.questions.notice(of: $0) }.first
    if isAnswered, !sentences.isEmpty, let notice { questions.forget(notice.key) }
    answering.subtract(requests)
    let settled = held.filter { $0.notice.requests.contains { requests.contains($0) } }
    held.removeAll { $0.notice.requests.contains { requests.contains($0) } }
    if sentences.isEmpty {
      // The node may have carried out the press before its answer was lost, or another parent was
      // first. The outcome was found by an earlier look, or the next look finds it.
      for one in settled { note(one) }
      bridge.lookAgain()
    } else {
      let place = notice.map(NtfyMessage.place) ?? requests.first?.description ?? ""
      answers.told(answered, of: notice ?? ParentNotice(asked: requests, key: place))
      say(sentences, in: place, isAnswered ? [notice].compactMap(\.self) : [])
    }
    // The look tries again after a pause.
    if await !flush() { bridge.lookAgain() }
  }

  /// Returns the sentence about a request's outcome, in the detail that the server may read.
  nonisolated func outcome(_ request: RequestListing) -> String { settings.detail.outcome(request) }
}

extension ParentNotice {
  /// Creates a notice for requests about which nothing else is known.
  fileprivate init(asked requests: [CommandID], key: String) {
    self.init(number: 0, kind: .asked, key: key, child: nil, device: nil, requests: requests, sentence: "", at: 0)
  }
}

// MARK: - Publishing

extension NtfyTeller {
  /// Publishes the outcomes of questions, and returns whether the server takes messages.
  private func flush() async -> Bool {
    guard !isFlushing else { return true }
    isFlushing = true
    defer { isFlushing = false }
    while true {
      gather()
      guard let first = outcomes.first else { break }
      guard await publish(NtfyMessage(first.text, in: first.place, settings)).isOver else { return false }
      // The first message may have been removed from the queue meanwhile.
      if let same = outcomes.first, same.place == first.place, same.text == first.text { outcomes.removeFirst() }
      await keepQuestions()
    }
    return true
  }

  /// Returns the time until the server may be tried again.
  private func pause() -> Duration { max(.milliseconds(100), nextTry.map { $0 - now() } ?? .zero) }

  /// Publishes a message, unless a pause after a failure is not over.
  private func publish(_ message: NtfyMessage) async -> Sending {
    if let nextTry, now() < nextTry { return .failed }
    guard let body = try? JSONEncoder().encode(message) else { return .passedOver }
    let headers = settings.headers + [("content-type", "application/json")]
    let server = settings.server.server
    switch await client.post(settings.server.text, headers, [UInt8](body)) {
    case .success(let answer) where answer.isSuccess:
      backoff.succeeded()
      (nextTry, refusals) = (nil, 0)
      hasSequences = String(decoding: answer.body, as: UTF8.self).contains("\"sequence_id\"")
      await report(nil, .publishing)
      return .taken
    case .success(let answer):
      let sentence = NtfyFault.sentence(answer.status, of: server, to: .publish)
      if NtfyFault.isAboutMessage(answer.status) {
        refusals += 1
        if refusals >= Self.mostRefusals {
          refusals = 0
          bridge.passOver(sentence)
          await report(sentence, .publishing)
          return .passedOver
        }
      }
      await failed(sentence, asked: answer.retryAfter)
      return answer.isDoubtful ? .doubtful : .failed
    case .failure(let fault):
      await failed(fault.sentence(of: server), asked: nil)
      return fault.isDoubtful ? .doubtful : .failed
    }
  }

  private func failed(_ sentence: String, asked: Duration?) async {
    guard !Task.isCancelled else { return }
    nextTry = now() + backoff.failed(asked: asked)
    await report(sentence, .publishing)
  }

  /// Reports the fault of one part to the node; `nil` for none.
  func report(_ sentence: String?, _ side: Side) async {
    faults[side] = sentence
    await bridge.report(Side.allCases.lazy.compactMap { self.faults[$0] }.first)
  }
}
