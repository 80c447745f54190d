import LatchkeyModel

/// The requests of one child and their answers.
///
/// Merging is commutative, associative and idempotent: of two answers to one request, the one with
/// the earlier hybrid time decides, on every machine and in whatever order they arrive.
///
/// Spec: Protocol/11-rules.md §9.
public struct RequestBook: Hashable, Sendable {
  /// The state of a request.
  public enum State: Hashable, Sendable {
    /// A parent can answer it.
    case open
    case answered(RequestAnswer)
    /// The day ended without an answer.
    case expired
  }

  /// The largest number of requests of one day; those whose IDs sort first are kept.
  public static let mostPerDay = 64

  /// The largest number of a child's requests that wait for an answer on their day.
  public static let mostOpen = 8

  /// The largest number of answers of one day, also to requests that have not arrived.
  public static let mostAnswersPerDay = 256

  public private(set) var requests: [CommandID: ChildRequest] = [:]
  private var answers: [CommandID: RequestAnswer] = [:]
  private var requestsOfDays: [FamilyDay: Int] = [:]
  private var answersOfDays: [FamilyDay: Int] = [:]

  public init() {}

  public init(_ requests: some Sequence<ChildRequest>, _ answers: some Sequence<RequestAnswer>) {
    for request in requests { merge(request) }
    for answer in answers { merge(answer) }
  }

  /// Takes a request, and returns whether the book has changed.
  ///
  /// A request never changes; of two that differ and have one ID, the one whose text sorts first is
  /// kept.
  @discardableResult public mutating func merge(_ request: ChildRequest) -> Bool {
    guard TextRule.reason.fault(in: request.reason) == nil else { return false }
    if let held = requests[request.id] {
      guard held != request else { return false }
      guard request.text.utf8.lexicographicallyPrecedes(held.text.utf8) else { return false }
    }
    set(request.id, to: request)
    if requestsOfDays[request.day, default: 0] > Self.mostPerDay,
      let last = requests.values.lazy.filter({ $0.day == request.day }).map(\.id).max()
    {
      set(last, to: ChildRequest?.none)
    }
    return requests[request.id] == request
  }

  /// Takes an answer, perhaps before its request; returns whether the book has changed.
  @discardableResult public mutating func merge(_ answer: RequestAnswer) -> Bool {
    guard TextRule.reason.fault(in: answer.word) == nil else { return false }
    if let held = answers[answer.request] {
      if held.modified < answer.modified { return false }
      if held.modified == answer.modified {
        guard answer.content.utf8.lexicographicallyPrecedes(held.content.utf8) else { return false }
      }
    }
    set(answer.request, to: answer)
    if answersOfDays[answer.day, default: 0] > Self.mostAnswersPerDay,
      let last = answers.values.lazy.filter({ $0.day == answer.day }).map(\.request).max()
    {
      set(last, to: RequestAnswer?.none)
    }
    return answers[answer.request] == answer
  }

  private mutating func set(_ id: CommandID, to request: ChildRequest?) {
    if let held = requests[id] { requestsOfDays.remove(held.day) }
    if let request { requestsOfDays.add(request.day) }
    requests[id] = request
  }

  private mutating func set(_ id: CommandID, to answer: RequestAnswer?) {
    if let held = answers[id] { answersOfDays.remove(held.day) }
    if let answer { answersOfDays.add(answer.day) }
    answers[id] = answer
  }

  /// Takes the requests and answers of another book.
  public mutating func merge(_ other: RequestBook) {
    for request in other.requests.values { merge(request) }
    for answer in other.answers.values { merge(answer) }
  }

  /// Forgets the requests and answers of days before a day.
  public mutating func forget(before day: FamilyDay) {
    requests = requests.filter { $0.value.day >= day }
    answers = answers.filter { $0.value.day >= day }
    requestsOfDays = requestsOfDays.filter { $0.key >= day }
    answersOfDays = answersOfDays.filter { $0.key >= day }
  }

  /// Returns the state of a request on a family day; `nil` if there is no such request.
  ///
  /// An answer that a parent gave after the request's day does not count. A request whose day is
  /// more than one day ahead is expired as well: a wrong clock or a faulty machine gave it that
  /// day.
  public func state(of id: CommandID, on day: FamilyDay) -> State? {
    guard let request = requests[id] else { return nil }
    if let answer = answers[id], answer.day <= request.day { return .answered(answer) }
    return request.day < day || request.day > day.advanced(byDays: 1) ? .expired : .open
  }

  /// The time that answers grant, by its day and by request.
  ///
  /// `RuleSet` adds it to the grants of registers. It is not a register, so that only one of two
  /// parents who answer at once grants it.
  public var grants: [FamilyDay: [CommandID: Grant]] {
    var grants: [FamilyDay: [CommandID: Grant]] = [:]
    for request in requests.values {
      guard case .time(let wish) = request.wish, case .answered(let answer)? = state(of: request.id, on: request.day),
        case .approved(let minutes) = answer.verdict
      else { continue }
      grants[request.day, default: [:]][request.id] = Grant(minutes: minutes ?? wish.minutes, scope: wish.scope)
    }
    return grants
  }
}

extension [FamilyDay: Int] {
  fileprivate mutating func add(_ day: FamilyDay) { self[day, default: 0] += 1 }

  /// Counts one less, and forgets a day without any.
  fileprivate mutating func remove(_ day: FamilyDay) {
    let rest = self[day, default: 1] - 1
    self[day] = rest > 0 ? rest : nil
  }
}

extension RuleSet {
  /// Adds the grants of answers, including earlier days: weekly limits do not count use within
  /// them.
  public mutating func add(_ grants: [FamilyDay: [CommandID: Grant]]) {
    for (day, grants) in grants { self.grants[day, default: [:]].merge(grants) { _, answered in answered } }
  }
}

extension RequestAnswer { fileprivate var content: String { "\(day) \(verdictText) \(word)" } }
