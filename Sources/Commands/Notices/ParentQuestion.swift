import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// A notice of what a child asks, with the requests that wait for an answer.
struct ParentQuestion {
  let notice: ParentNotice
  private(set) var requests: [RequestListing]

  init(_ notice: ParentNotice, _ requests: [RequestListing]) { (self.notice, self.requests) = (notice, requests) }

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

  /// Answers all requests.
  ///
  /// - Returns: What could not be answered yet, `nil` for nothing, what became of the rest, and
  ///   what
  ///   was answered.
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
    return (left.isEmpty ? nil : ParentQuestion(notice, left), said.joined(separator: " "), done)
  }
}
