import FoundationEssentials
import LatchkeyModel
import LatchkeyNode

/// The children's questions that a receiver was told and that are not answered yet.
struct ToldQuestions: Sendable {
  /// A question whose requests are all answered or over.
  struct Settled: Sendable {
    var notice: ParentNotice
    /// The question's requests that the node still lists.
    var requests: [RequestListing]

    /// The sentence that a receiver gets if no parent has answered.
    ///
    /// If the node no longer lists the requests, it does not know whether a parent answered: the
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

  /// Adds a question that was told.
  ///
  /// It replaces an earlier question with the same key, and those that `recover` has added for its
  /// requests.
  mutating func told(_ notice: ParentNotice) {
    guard notice.kind == .asked, !notice.requests.isEmpty else { return }
    let requests = Set(notice.requests)
    notices.removeAll { $0.key == notice.key || $0.number == 0 && !requests.isDisjoint(with: $0.requests) }
    notices.append(notice)
    if notices.count > Self.most { notices.removeFirst() }
  }

  /// Adds the questions that an earlier run of the bridge has told, if that run has left no record.
  ///
  /// These are the open requests that no notice in `new` is about.
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

  /// Removes the questions that have no open request any more, and returns them.
  mutating func settled(_ requests: [RequestListing]) -> [Settled] {
    let open = Set(requests.filter { $0.state == .open }.map(\.requestID))
    let over = notices.filter { notice in !notice.requests.contains { open.contains($0) } }
    notices.removeAll { notice in over.contains { $0.key == notice.key } }
    return over.map { notice in
      Settled(notice: notice, requests: requests.filter { notice.requests.contains($0.requestID) })
    }
  }
}

/// The answers that a receiver was told, until the node no longer lists their requests.
///
/// The earlier of two parents' answers counts. A node may receive it after a receiver was told the
/// later one. Then the receiver is told which answer counts.
struct ToldAnswers: Sendable {
  /// The answer to a request, as a receiver was told.
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

  /// The answers to the requests of one question, as a receiver was told.
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

  /// Adds the answers to some requests of a question, which a receiver was told.
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

  /// Returns the questions for which the receiver was told an answer that does not count, with the
  /// requests concerned.
  ///
  /// Marks the answers that count as told.
  ///
  /// A question is forgotten once the node lists none of its requests any more.
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

/// The record of the questions that a receiver shows, in a file beside its settings.
///
/// A later run of the bridge reads it, and tells the outcome of the questions that were answered
/// meanwhile.
///
/// Spec: Protocol/14-bridge.md §1.
struct QuestionRecord: Sendable {
  struct Content: Hashable, Sendable, Codable {
    /// The notices of the questions, without their sentences, which are not needed later.
    var questions: [ParentNotice] = []
    /// The answers that were told; `nil` for none.
    var answers: [ToldAnswers.Entry]?
    /// Whether the server replaces an earlier message by a later one; `nil` if unknown.
    var replaces: Bool?
    /// The ID of the last message on the buttons' topic that was handled; `nil` for none.
    var read: String?
  }

  /// The largest number of questions in a file.
  private static let mostQuestions = 128
  private static let mostBytes = 262_144

  /// The path of the file; `nil` for a bridge that keeps none.
  private let path: String?
  /// The content of the file; `nil` if the file is missing or damaged.
  private(set) var content: Content?

  init(_ path: String?) {
    self.path = path
    guard let path else { return }
    do throws(BridgeFault) {
      let bytes = try PrivateFile.read(path, most: Self.mostBytes)
      content = try? JSONDecoder().decode(Content.self, from: Data(bytes))
    } catch {}
  }

  /// The fault to report if the file cannot be written: one sentence with the next step.
  var fault: String {
    "\(path ?? "The file") cannot be written, so that after its next start the bridge does not know what the receiver "
      + "shows: see whether the disk has room and the folder is yours."
  }

  /// Writes the questions that the receiver shows, the oldest first, if they have changed.
  ///
  /// Returns whether the file holds them.
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
