import LatchkeyModel
import LatchkeyRules

/// Something that a child asked the parents for, as the local API shows it.
package struct RequestListing: Hashable, Sendable, Codable {
  package enum State: String, Hashable, Sendable, Codable, CaseIterable {
    case open
    case approved
    case denied
    case expired
  }

  package struct Answer: Hashable, Sendable, Codable {
    package var isApproved: Bool
    /// The minutes that the parent gave; `nil` if they are those asked for, or none were.
    package var minutes: Int?
    /// A word with it, which may be empty.
    package var word: String
    /// The machine on which it was given.
    package var by: DeviceName
    /// When it was given, in Unix milliseconds by that machine's clock.
    package var at: Int64
  }

  /// A parent's machine that has stored the request.
  package struct Told: Hashable, Sendable, Codable {
    package var name: DeviceName
    /// When it said so, in Unix milliseconds by this machine's clock.
    package var at: Int64
  }

  package var requestID: CommandID
  /// The shortest beginning of the ID that fits no other request, at least 4 characters.
  package var short: String
  package var childName: DeviceName
  package var deviceName: DeviceName
  /// The minutes asked for; `nil` if the child asked for an application.
  package var minutes: Int?
  /// The application that the child asked for, or for which the time is.
  package var appID: AppID?
  package var appName: String?
  /// The category for whose applications the time is.
  package var category: AppCategory?
  /// The child's reason, which may be empty.
  package var reason: String
  /// When the child asked, in Unix milliseconds by the household's time there.
  package var askedAt: Int64
  /// The family's day, with which the request expires.
  package var day: FamilyDay
  package var state: State
  package var answer: Answer?
  /// Answers that came second and have no effect.
  package var overtaken: [Answer] = []
  /// The parents' machines that have it already, in the answer to the child's question.
  package var told: [Told]?
  /// `true` in the answer to a question whose `idempotency-key` was used before: nothing was asked.
  package var isRepeated: Bool?

  /// Returns what is asked for, or `given`, such as "30 min for rewards"; `shown` makes the name of
  /// an application fit for where it is read.
  package func wish(minutes given: Int? = nil, shown: (String) -> String = { $0 }) -> Phrase {
    let app = appName.map { Phrase(verbatim: shown($0)) }
    guard let minutes = given ?? minutes else { return app ?? Phrase("an application") }
    let time = SpanText.phrase(minutes: minutes)
    guard let purpose = app ?? category.map(ReasonText.plural) else { return time }
    return Phrase("{time} for {what}", ["time": .phrase(time), "what": .phrase(purpose)])
  }
}

/// What a parent can press to answer a child's requests, on a desktop and on a phone.
package enum AnswerButton: String, Hashable, Sendable, CaseIterable {
  case quarter = "15"
  case half = "30"
  case yes
  case no

  package var label: String {
    switch self {
    case .quarter: "15 min"
    case .half: "30 min"
    case .yes: "Yes"
    case .no: "No"
    }
  }

  package static func fitting(_ requests: [RequestListing]) -> [AnswerButton] {
    requests.allSatisfy { $0.minutes == nil } ? [.yes, .no] : [.quarter, .half, .no]
  }

  package func answer(to request: RequestListing) -> AnswerRequest {
    AnswerRequest(
      request: request.requestID.description, isApproved: self != .no,
      minutes: request.minutes == nil ? nil : Int(rawValue))
  }
}

extension Call {
  /// Returns the requests of a child, or of all: open ones first, then the others of today, and
  /// those of yesterday without an answer.
  func requests(of child: ChildID?) async throws -> [RequestListing] {
    let books = try await books(household())
    let names = try await names()
    let short = ShortIDs(books.flatMap { $0.requests.map(\.id.bytes) })
    var listings: [RequestListing] = []
    for book in books where child == nil || book.child == child {
      // A request that nobody answered is shown on the day after.
      for request in book.requests
      where request.day.advanced(byDays: 1) >= book.day && request.day <= book.day.advanced(byDays: 1) {
        let listing = book.listing(request, names, short)
        if request.day >= book.day || listing.state == .expired { listings.append(listing) }
      }
    }
    return listings.sorted { left, right in
      if (left.state == .open) != (right.state == .open) { return left.state == .open }
      let isEarlier = (left.askedAt, left.short) < (right.askedAt, right.short)
      return left.state == .open ? isEarlier : !isEarlier
    }
  }

  struct Book: Sendable {
    var child: ChildID
    var name: DeviceName
    var day: FamilyDay
    var requests: [ChildRequest]
    var answers: [RequestAnswer]
    var book: RequestBook
    /// What people call the child's applications.
    var apps: [AppID: String]

    func listing(_ request: ChildRequest, _ names: FactNames, _ short: ShortIDs) -> RequestListing {
      var listing = RequestListing(
        requestID: request.id, short: short.short(request.id.bytes), childName: name,
        deviceName: names[request.device], appID: request.app, reason: request.reason,
        askedAt: request.at, day: request.day, state: .open)
      if case .time(let grant) = request.wish {
        listing.minutes = grant.minutes
        if case .category(let category) = grant.scope { listing.category = category }
      }
      listing.appName = request.app.map { apps[$0] ?? $0.text }
      switch book.state(of: request.id, on: day) {
      case .open, nil: listing.state = .open
      case .expired: listing.state = .expired
      case .answered(let answer):
        listing.state = answer.verdict == .denied ? .denied : .approved
        listing.answer = Self.shown(answer, names)
        listing.overtaken = answers.filter { $0.request == request.id && $0 != answer }
          .sorted { $0.modified < $1.modified }.map { Self.shown($0, names) }
      }
      return listing
    }

    private static func shown(_ answer: RequestAnswer, _ names: FactNames) -> RequestListing.Answer {
      var minutes: Int?
      if case .approved(let given) = answer.verdict { minutes = given }
      return RequestListing.Answer(
        isApproved: answer.verdict != .denied, minutes: minutes, word: answer.word, by: names[answer.modified.author],
        at: answer.modified.wall)
    }
  }

  func books(_ household: Household) async throws -> [Book] {
    let children = household.children
    var books = try await store.look { effects in
      try children.map { child in
        let (requests, answers) = try effects.requests(of: child.id)
        let book = RequestBook(requests, answers)
        return Book(
          child: child.id, name: DeviceName(sanitising: child.name),
          day: context.moment(try effects.rules(of: child.id)).day,
          requests: requests.filter { book.requests[$0.id] != nil }, answers: answers, book: book,
          apps: household.rules(for: child.id).apps.compactMapValues(\.name))
      }
    }
    // What is installed is read only where a request names an application that no rule names.
    for (index, book) in books.enumerated()
    where book.requests.compactMap(\.app).contains(where: { book.apps[$0] == nil }) {
      books[index].apps.merge(try await installedNames(of: book.child, household)) { named, _ in named }
    }
    return books
  }

  static let noSuchRequest = LocalAPIError(
    .unknownItem, phrase: "There is no such request any more: `latchkey requests` lists them.")

  func listing(of id: CommandID, _ household: Household) async throws -> RequestListing {
    let books = try await books(household)
    let names = try await names()
    let short = ShortIDs(books.flatMap { $0.requests.map(\.id.bytes) })
    for book in books {
      for request in book.requests where request.id == id { return book.listing(request, names, short) }
    }
    throw Self.noSuchRequest
  }
}

extension ChildRequest {
  /// The application that the child asks for, or for which the time is.
  fileprivate var app: AppID? {
    switch wish {
    case .app(let app): app
    case .time(let grant): if case .app(let app) = grant.scope { app } else { nil }
    }
  }
}
