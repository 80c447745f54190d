import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore

/// What children ask their parents for.
///
/// Spec: Protocol/11-rules.md §9.
extension Endpoints {
  static let requestRoutes: [any ServedEndpoint] = [getRequests, ask, answerRequest]

  package static let getRequests = Endpoint(
    .get, "/v1/requests", Query.text("child", "Only of this child."), whoMay: .operatorsChildAndReceivers,
    browsers: .look, errors: [.unknownChild, .ambiguousChild],
    summary: "What children ask for: open requests first, then the others of today, and yesterday's without an answer."
  ) { call, child in try await call.requests(of: call.childIfAny(child)) }

  package static let ask = Endpoint(
    .post, "/v1/requests", Body.json(AskRequest.self), whoMay: .operatorsAndChild,
    on: .child("Children ask on their own machine: run `latchkey ask` there."), created: true,
    errors: [.unknownChild, .ambiguousChild, .unknownItem, .limit],
    summary: "Asks the parents for time or for an application, on a child's machine."
  ) { call, request in try await call.add(request) }

  package static let answerRequest = Endpoint(
    .post, "/v1/requests/answer", Body.json(AnswerRequest.self), whoMay: .operatorsAndReceivers, browsers: .parent,
    on: .parent("A parent answers requests, on a parent's machine: run this there."),
    errors: [.unknownItem, .tooLate, .limit],
    summary: "Answers a request, on a parent. The first answer holds."
  ) { call, answer in try await call.answerRequest(answer) }
}

extension Call {
  fileprivate func add(_ request: AskRequest) async throws -> RequestListing {
    let household = try await household()
    let child = try await childOrOnly(request.child)
    let wish = try await wish(request, of: child)
    guard try await active().contains(where: { $0.device.role == .parent }) else {
      throw LocalAPIError(
        .unknownDevice,
        phrase:
          "No parent's machine is paired with this one, so that no parent would see it: pair one with `latchkey pair` first."
      )
    }
    let known = keyedBytes("request", of: child)
    guard let id = CommandID(bytes: known ?? SecureRandom.bytes(16)) else {
      throw LocalAPIError(.internal, "The request got no ID: ask again.")
    }
    let reason = request.reason
    let (isNew, _, changes) = try await act { effects, _ -> (Bool, ActOrders) in
      let moment = context.moment(try effects.rules(of: child))
      let (requests, answers) = try effects.requests(of: child)
      if requests.contains(where: { $0.id == id }) { return (false, .none) }
      let book = RequestBook(requests, answers)
      let open = requests.count { book.state(of: $0.id, on: moment.day) == .open }
      guard open < RequestBook.mostOpen else {
        throw LocalAPIError(
          .limit,
          phrase: """
            {count} requests wait for an answer already: `latchkey requests` lists them. Wait for an answer, or talk to your \
            parents.
            """, ["count": .number(open)])
      }
      let today = requests.count { $0.day == moment.day }
      guard today < RequestBook.mostPerDay else {
        throw LocalAPIError(
          .limit,
          phrase: "There were {count} requests today, as many as a day has: talk to your parents, or ask tomorrow.",
          ["count": .number(RequestBook.mostPerDay)])
      }
      let asked = ChildRequest(id: id, device: own, at: moment.at, wish: wish, day: moment.day, reason: reason)
      try effects.add(Fact(child, .request, asked.text))
      return (true, .none)
    }
    let told = try await parentsTold(of: changes)
    var listing = try await listing(of: id, household)
    (listing.told, listing.isRepeated) = (told, isNew ? nil : true)
    return listing
  }

  /// Milliseconds for which a child's question waits for parents to have it.
  private static let tellingMilliseconds: Int64 = 2_000

  /// Returns the parents' machines that store what was queued for them soon enough.
  private func parentsTold(of changes: [OutboxChange]) async throws -> [RequestListing.Told] {
    let (names, deadline) = (try await names(), context.now() + Self.tellingMilliseconds)
    let parents = Set(try await active().filter { $0.device.role == .parent }.map(\.device.deviceID))
    return await withTaskGroup(of: RequestListing.Told?.self) { group in
      for change in changes where parents.contains(change.device) {
        group.addTask {
          await isStored(change, by: deadline)
            ? RequestListing.Told(name: names[change.device], at: context.wall()) : nil
        }
      }
      return await group.reduce(into: []) { told, one in if let one { told.append(one) } }
        .sorted { ($0.at, $0.name.text) < ($1.at, $1.name.text) }
    }
  }

  /// Returns whether a device has stored all that was queued for it, as soon as it has; `false` at
  /// once if it is not connected.
  private func isStored(_ change: OutboxChange, by deadline: BootInstant) async -> Bool {
    while let link = await directory.link(change.device), await link.current != nil, !Task.isCancelled {
      let seen = link.stored.version
      if await link.storedThrough[change.streamClass] ?? 0 >= change.last { return true }
      let rest = deadline - context.now()
      guard rest > 0 else { return false }
      await link.stored.wait(after: seen, milliseconds: rest)
    }
    return false
  }

  fileprivate func answerRequest(_ answer: AnswerRequest) async throws -> RequestListing {
    let household = try await household()
    let (child, id) = try await find(answer.request, household)
    let deed = caller.receiver == nil ? nil : try await deed(answer, listing(of: id, household))
    let names = try await names()
    _ = try await act { effects, clock -> (Void, ActOrders) in
      if let deed, try effects.wasDone(deed) { return ((), .none) }
      let (requests, answers) = try effects.requests(of: child)
      let moment = context.moment(try effects.rules(of: child))
      let book = RequestBook(requests, answers)
      guard let request = book.requests[id] else { throw Self.noSuchRequest }
      switch book.state(of: id, on: moment.day) {
      case .answered(let given):
        let who = ["who": Phrase.Argument.text("\(names[given.modified.author])")]
        let phrase =
          given.verdict == .denied
          ? Phrase("“{who}” answered that request before: no. The first answer holds.", who)
          : Phrase("“{who}” answered that request before: yes. The first answer holds.", who)
        throw LocalAPIError(.tooLate, phrase: phrase)
      case .open: break
      case .expired, nil:
        throw LocalAPIError(
          .tooLate,
          phrase: "That request ended with its day: give the time with `latchkey grant`, if it is still wanted.")
      }
      var changes: [RegisterChange] = []
      if case .app(let app) = request.wish {
        guard answer.minutes == nil else {
          throw LocalAPIError(.invalid, phrase: "An application is allowed or not: leave the minutes out.")
        }
        // Without the edit in the same transaction, a yes could be without effect.
        if answer.isApproved, let key = AppRule.blocked.key(of: app).registerKey {
          changes.append(RegisterChange(.child(child), key, AppRule.blocked.text(.no)))
        }
      }
      guard try count(deed, &effects) else { return ((), .none) }
      let given = RequestAnswer(
        request: id, verdict: answer.isApproved ? .approved(minutes: answer.minutes) : .denied, day: moment.day,
        word: answer.word, modified: try clock())
      try effects.add(Fact(child, .answer, given.text))
      return ((), ActOrders(edits: changes))
    }
    return try await listing(of: id, household)
  }

  /// Returns a receiver's answer, whose minutes are counted once the request is known to be open.
  private func deed(_ answer: AnswerRequest, _ request: RequestListing) async throws -> ReceiverDeed? {
    let minutes = answer.isApproved ? answer.minutes ?? request.minutes ?? 0 : 0
    return try await deed(
      .answer, "\(answer.isApproved ? "yes" : "no") to \(request.childName)'s request \(request.short), \(minutes) min",
      giving: ReceiverGift(minutes: minutes))
  }

  /// Returns the request that a person named, or the only open one.
  private func find(_ text: String?, _ household: Household) async throws -> (ChildID, CommandID) {
    let books = try await books(household)
    let known = books.flatMap { book in book.requests.map { (child: book.child, id: $0.id) } }
    if let text {
      let bytes = try ShortIDs(known.map(\.id.bytes)).find(text, "request", listing: "latchkey requests")
      if let match = known.first(where: { $0.id.bytes == bytes }) { return match }
    }
    let open = books.flatMap { book in
      book.requests.filter { book.book.state(of: $0.id, on: book.day) == .open }.map { (child: book.child, id: $0.id) }
    }
    return try open.only(
      orNone: Phrase("No request waits for an answer: `latchkey requests` lists those of today."),
      orSeveral: Phrase(
        "{count} requests wait for an answer: name one as `latchkey requests` shows it.",
        ["count": .number(open.count)]))
  }

  private func wish(_ request: AskRequest, of child: ChildID) async throws -> ChildRequest.Wish {
    var app: AppID?
    if let text = request.app {
      app = try await knownApps(of: child).askedFor(text, orCategory: request.minutes != nil)
    }
    guard let minutes = request.minutes else {
      guard let app else {
        throw LocalAPIError(.invalid, phrase: "A child asks for time or for an application: name one of them.")
      }
      return .app(app)
    }
    let scope: GrantScope = app.map { .app($0) } ?? request.category.map { .category($0) } ?? .all
    return .time(Grant(minutes: minutes, scope: scope))
  }
}
