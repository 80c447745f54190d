import FoundationEssentials
import LatchkeyModel
import LatchkeyNode

/// The questions of children that a receiver was told and that are not answered yet.
struct ToldQuestions: Sendable {
  /// A question whose requests are all answered, or over.
  struct Settled: Sendable {
    var notice: ParentNotice
    /// Its requests that the node still knows.
    var requests: [RequestListing]

    /// What is said if no parent has answered.
    ///
    /// A node that does not list the requests any more does not know whether somebody did: the
    /// child may have left the family, or the bridge was away for days.
    var unanswered: String {
      requests.isEmpty ? "That question waits for no answer any more." : "Nobody answered in time."
    }
  }

  /// The largest number of questions; the oldest are forgotten first.
  static let most = 64

  /// The notices of the questions, the oldest first.
  private(set) var notices: [ParentNotice] = []

  init() {}

  /// Creates the questions that an earlier run of the bridge has kept.
  init(_ notices: [ParentNotice]) { for notice in notices.suffix(Self.most) { told(notice) } }

  var isEmpty: Bool { notices.isEmpty }

  /// Notes that a question was told; it takes the place of an earlier one with the same key, and
  /// of those that `recover` has noted for its requests.
  mutating func told(_ notice: ParentNotice) {
    guard notice.kind == .asked, !notice.requests.isEmpty else { return }
    let requests = Set(notice.requests)
    notices.removeAll { $0.key == notice.key || $0.number == 0 && !requests.isDisjoint(with: $0.requests) }
    notices.append(notice)
    if notices.count > Self.most { notices.removeFirst() }
  }

  /// Adds the questions that an earlier run of the bridge has told, if it has kept none.
  ///
  /// These are the requests that are still open and that no notice in `new` is about.
  mutating func recover(_ requests: [RequestListing], besides new: [ParentNotice]) {
    let untold = Set(new.flatMap(\.requests))
    for request in requests.reversed() where request.state == .open && !untold.contains(request.requestID) {
      told(
        ParentNotice(
          number: 0, kind: .asked, key: request.requestID.description, child: request.childName,
          device: request.deviceName, requests: [request.requestID], sentence: "", at: request.askedAt))
    }
  }

  func notice(of request: CommandID) -> ParentNotice? { notices.last { $0.requests.contains(request) } }
  mutating func forget(_ key: String) { notices.removeAll { $0.key == key } }

  /// Removes the questions of which nothing is open any more, and returns them.
  mutating func settled(_ requests: [RequestListing]) -> [Settled] {
    let open = Set(requests.filter { $0.state == .open }.map(\.requestID))
    let over = notices.filter { notice in !notice.requests.contains { open.contains($0) } }
    notices.removeAll { notice in over.contains { $0.key == notice.key } }
    return over.map { notice in
      Settled(notice: notice, requests: requests.filter { notice.requests.contains($0.requestID) })
    }
  }
}

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

/// The questions that a receiver shows, in a file beside its settings.
///
/// A later run of the bridge reads them, and tells what became of those answered meanwhile.
///
/// Spec: Protocol/14-bridge.md §1.
struct QuestionRecord: Sendable {
  struct Content: Hashable, Sendable, Codable {
    /// The notices of the questions, whose sentences are left out because nobody needs them later.
    var questions: [ParentNotice] = []
    /// What was told about questions that are answered; `nil` for nothing.
    var answers: [ToldAnswers.Entry]?
    /// Whether the server shows a message in the place of an earlier one; `nil` if unknown.
    var replaces: Bool?
    /// The ID of the last message on the topic of the buttons that was handled; `nil` for none.
    var read: String?
  }

  /// The largest number of questions in a file.
  private static let mostQuestions = 128
  private static let mostBytes = 262_144

  /// The path of the file; `nil` for a bridge that keeps none.
  private let path: String?
  /// What the file holds; `nil` if the file is missing or damaged.
  private(set) var content: Content?

  init(_ path: String?) {
    self.path = path
    guard let path else { return }
    do throws(BridgeFault) {
      let bytes = try PrivateFile.read(path, most: Self.mostBytes)
      content = try? JSONDecoder().decode(Content.self, from: Data(bytes))
    } catch {}
  }

  /// What is said where the file cannot be written: one sentence with the next step.
  var fault: String {
    "\(path ?? "The file") cannot be written, so that after its next start the bridge does not know what the receiver "
      + "shows: see whether the disk has room and the folder is yours."
  }

  /// Keeps the questions that the receiver shows, the oldest first, if they have changed; returns
  /// whether the file holds them.
  mutating func keep(
    _ notices: [ParentNotice], answers: [ToldAnswers.Entry] = [], replaces: Bool? = nil, read: String? = nil
  ) -> Bool {
    let questions = notices.suffix(Self.mostQuestions).map { notice in
      var short = notice
      short.sentence = ""
      return short
    }
    let new = Content(questions: questions, answers: answers.isEmpty ? nil : answers, replaces: replaces, read: read)
    guard new != content else { return true }
    content = new
    guard let path else { return true }
    do {
      try DurableFile.replace(path, with: [UInt8](JSONEncoder().encode(new)))
      return true
    } catch {
      // It is tried again at the next change.
      content = nil
      return false
    }
  }
}
