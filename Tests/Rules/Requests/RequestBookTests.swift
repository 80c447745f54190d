import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@Suite struct RequestBookTests {
  private func request(_ wish: String, _ random: inout SeededRandom) throws -> ChildRequest {
    ChildRequest(
      id: Samples.commandID(&random), device: Samples.deviceID(&random), at: 5,
      wish: try ChildRequest.Wish(typed: wish),
      day: try HouseholdSamples.day("2026-11-23"), reason: "finish the level")
  }

  private func answer(
    _ request: ChildRequest, _ verdict: String, at wall: Int64, day: String = "2026-11-23", _ random: inout SeededRandom
  ) throws -> RequestAnswer {
    RequestAnswer(
      request: request.id, verdict: try RequestAnswer.Verdict(typed: verdict), day: try HouseholdSamples.day(day),
      word: "", modified: HybridTimestamp(wall: wall, counter: 0, author: Samples.deviceID(&random)))
  }

  @Test func theFirstAnswerHoldsInEveryOrder() throws {
    var random = SeededRandom()
    for _ in 0..<50 {
      let request = try request("time 30 reward", &random)
      let answers = [
        try answer(request, "yes 20", at: 5, &random), try answer(request, "no", at: 6, &random),
        try answer(request, "yes", at: 7, &random),
      ]
      var book = RequestBook()
      for answer in (answers + answers).shuffled(using: &random) {
        if random.once(in: 2) { book.merge(request) }
        book.merge(answer)
      }
      book.merge(request)
      #expect(book.state(of: request.id, on: request.day) == .answered(answers[0]), "\(random.note)")
      #expect(book.grants == [request.day: [request.id: Grant(minutes: 20, scope: .category(.reward))]])
      var other = RequestBook()
      other.merge(book)
      other.merge(book)
      #expect(other == book)
    }
  }

  @Test func aRequestIsAnsweredOrExpiresWithItsDay() throws {
    var random = SeededRandom()
    var book = RequestBook()
    let request = try request("time 30", &random)
    let next = request.day.advanced(byDays: 1)
    #expect(book.state(of: request.id, on: request.day) == nil)
    book.merge(request)
    #expect(book.state(of: request.id, on: request.day) == .open)
    #expect(book.state(of: request.id, on: next) == .expired)
    // A request that a wrong clock has dated ahead does not wait for years.
    #expect(book.state(of: request.id, on: request.day.advanced(byDays: -1)) == .open)
    #expect(book.state(of: request.id, on: request.day.advanced(byDays: -2)) == .expired)
    #expect(book.state(of: request.id, on: request.day.advanced(byDays: -800)) == .expired)
    // An answer given on the next day is too late; an answer that arrives late is not.
    book.merge(try answer(request, "yes", at: 9, day: "2026-11-24", &random))
    #expect(book.state(of: request.id, on: next) == .expired)
    #expect(book.grants.isEmpty)
    let inTime = try answer(request, "yes", at: 8, &random)
    book.merge(inTime)
    #expect(book.state(of: request.id, on: next) == .answered(inTime))
    #expect(book.grants[next] == nil)
    var rules = RuleSet()
    rules.add(book.grants)
    #expect(rules.grants[request.day]?[request.id]?.minutes == 30)
    book.forget(before: next)
    #expect(book.requests.isEmpty)
  }

  @Test(arguments: ["", "time", "time 0", "time 5 fun", "app", "app ", "app a b", "money 5"])
  func anotherWishIsRefused(text: String) {
    #expect(throws: RuleFault.self) { try ChildRequest.Wish(typed: text) }
  }

  @Test(arguments: ["", "yes 0", "yes 1441", "Yes", "no 5", "maybe"])
  func anotherAnswerIsRefused(text: String) {
    #expect(throws: RuleFault.self) { try RequestAnswer.Verdict(typed: text) }
  }

  @Test func textsLeadBack() throws {
    var random = SeededRandom()
    for text in ["time 30", "time 30 reward", "time 5 app:a", "app org.gnome.Chess"] {
      #expect(try request(text, &random).wishText == text)
    }
    let asked = try request("time 30", &random)
    for text in ["yes", "yes 20", "no"] { #expect(try answer(asked, text, at: 1, &random).verdictText == text) }
  }

  @Test func aDayHasABoundOfRequests() throws {
    var random = SeededRandom()
    let requests = try (0..<100).map { _ in try request("time 5", &random) }
    var book = RequestBook()
    for request in requests { book.merge(request) }
    var other = RequestBook()
    for request in requests.shuffled(using: &random) { other.merge(request) }
    #expect(book.requests.count == RequestBook.mostPerDay)
    #expect(book == other, "\(random.note)")
  }
}
