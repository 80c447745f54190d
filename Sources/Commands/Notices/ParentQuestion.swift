import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// A notice of what a child asks, with the requests that wait for an answer.
struct ParentQuestion {
  /// What a parent can press.
  enum Answer: String {
    case quarter = "15"
    case half = "30"
    case yes
    case no

    var label: String {
      switch self {
      case .quarter: "15 min"
      case .half: "30 min"
      case .yes: "Yes"
      case .no: "No"
      }
    }

    /// The minutes that it gives; `nil` for none.
    fileprivate var minutes: Int? { Int(rawValue) }
  }

  let notice: ParentNotice
  private(set) var requests: [RequestListing]

  init(_ notice: ParentNotice, _ requests: [RequestListing]) { (self.notice, self.requests) = (notice, requests) }

  /// The answers that fit what is asked: an application alone is allowed or not.
  private var answers: [Answer] { requests.allSatisfy { $0.minutes == nil } ? [.yes, .no] : [.quarter, .half, .no] }

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
  /// - Returns: What could not be answered yet, `nil` for nothing, and what became of the rest.
  func answered(
    _ answer: Answer, _ open: () async throws -> any NodeInterface
  ) async -> (left: ParentQuestion?, outcome: String) {
    var (left, sentences) = ([RequestListing](), [String]())
    for request in requests {
      do {
        let (node, minutes) = (try await open(), request.minutes == nil ? nil : answer.minutes)
        let answered = try await node.ask(
          Endpoints.answerRequest,
          AnswerRequest(request: request.requestID.description, isApproved: answer != .no, minutes: minutes))
        sentences += await RequestText.outcome(answered, isApproved: answer != .no, minutes: minutes, at: node)
      } catch {
        sentences.append(TerminalFailure(error)?.sentence ?? "\(error)")
        let code = (error as? LocalAPIError)?.code
        // A request that was answered before, or is gone, needs no answer.
        if code != .tooLate, code != .unknownItem { left.append(request) }
      }
    }
    var said: [String] = []
    for sentence in sentences where !said.contains(sentence) { said.append(sentence) }
    return (left.isEmpty ? nil : ParentQuestion(notice, left), said.joined(separator: " "))
  }
}
