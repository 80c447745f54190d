import LatchkeyModel
import LatchkeyNode

/// The answers that a receiver was told, until their requests are listed no more.
///
/// Of two parents' answers the earlier one counts, and a node may hear of it after it has told of
/// the later one. Then the receiver is told what counts.
struct ToldAnswers: Sendable {
  /// What was told about a request.
  struct Answer: Hashable, Sendable, Codable {
    var request: CommandID
    var isApproved: Bool
    /// The minutes that the child gets; `nil` for an application or a no.
    var minutes: Int?

    /// Returns the answer to a request; `nil` if there is none.
    fileprivate init?(_ listing: RequestListing) {
      guard let answer = listing.answer else { return nil }
      (request, isApproved) = (listing.requestID, answer.isApproved)
      minutes = isApproved ? answer.minutes ?? listing.minutes : nil
    }
  }

  /// What was told about a question.
  struct Entry: Hashable, Sendable, Codable {
    /// The question's notice without its sentence.
    var notice: ParentNotice
    var answers: [Answer]
  }

  /// The largest number of questions; the oldest are forgotten first.
  static let most = ToldQuestions.most

  private(set) var entries: [Entry] = []

  init(_ entries: [Entry] = []) { self.entries = entries.suffix(Self.most) }

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that a receiver was told the answers to some requests of a question.
  mutating func told(_ requests: [RequestListing], of notice: ParentNotice) {
    let new = requests.compactMap(Answer.init)
    guard !new.isEmpty else { return }
    var entry = Entry(notice: notice, answers: [])
    if let index = entries.firstIndex(where: { $0.notice.key == notice.key && $0.notice.number == notice.number }) {
      entry.answers = entries.remove(at: index).answers
    }
    entry.notice.sentence = ""
    entry.answers.removeAll { old in new.contains { $0.request == old.request } }
    entry.answers += new
    entries.append(entry)
    if entries.count > Self.most { entries.removeFirst() }
  }

  /// Returns the questions with requests to which another answer counts than was told, with these
  /// requests, and notes that they are told.
  ///
  /// A question is forgotten once none of its requests is listed any more.
  mutating func corrected(_ requests: [RequestListing]) -> [ToldQuestions.Settled] {
    var corrected: [ToldQuestions.Settled] = []
    entries = entries.compactMap { entry in
      var entry = entry
      let listed = requests.filter { request in entry.answers.contains { $0.request == request.requestID } }
      guard !listed.isEmpty else { return nil }
      let others = listed.filter { Answer($0).map { !entry.answers.contains($0) } ?? false }
      guard !others.isEmpty else { return entry }
      corrected.append(ToldQuestions.Settled(notice: entry.notice, requests: others))
      entry.answers.removeAll { old in others.contains { $0.requestID == old.request } }
      entry.answers += others.compactMap(Answer.init)
      return entry
    }
    return corrected
  }
}
