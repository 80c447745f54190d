import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The words for requests.
enum RequestText {
  /// Returns what a child asks for, such as "30 min for rewards".
  static func wish(_ request: RequestListing, minutes given: Int? = nil) -> String {
    let app = request.appName.map(ShownText.safe)
    guard let minutes = given ?? request.minutes else { return app ?? "an application" }
    let purpose = app ?? request.category.map(ReasonText.plural)
    return SpanText.minutes(minutes) + (purpose.map { " for \($0)" } ?? "")
  }

  /// Returns a sentence with the commands that answer a request.
  static func answering(_ request: RequestListing, isOnly: Bool) -> String {
    guard !isOnly else { return "`latchkey approve` or `latchkey deny` answers it; the first answer holds." }
    return
      "`latchkey approve \(request.short)` or `latchkey deny \(request.short)` answers the one at the top, by its ID; the "
      + "first answer holds."
  }

  static func answer(_ request: RequestListing) -> String {
    guard let answer = request.answer else { return request.state == .open ? "waits" : "nobody answered" }
    let second = request.overtaken.map { "; second: \(said($0)) on \(ShownText.safe($0.by.text))" }.joined()
    let word = answer.word.isEmpty ? "" : ": \(ShownText.safe(answer.word))"
    return "\(said(answer)) on \(ShownText.safe(answer.by.text))\(word)\(second)"
  }

  private static func said(_ answer: RequestListing.Answer) -> String {
    answer.isApproved ? answer.minutes.map { "yes, \(SpanText.minutes($0))," } ?? "yes" : "no"
  }

  /// Returns the sentences for a child that has asked: for what, and which parents have it already.
  static func asked(_ request: RequestListing, now: Int64) -> String {
    let told = (request.told ?? []).map { "\(ShownText.safe($0.name.text)) (\(ShownText.ago($0.at, now: now)))" }
    let whom =
      told.isEmpty
      ? request.told == nil ? "" : " No parent can be reached now; it is sent when one is."
      : " It is on \(ShownText.list(told))."
    return "Your parents are asked for \(wish(request)) (\(request.short)).\(whom)"
  }

  /// Returns the sentences for a parent that has answered: what the child gets, and what keeps the
  /// child from using it now.
  static func outcome(
    _ answered: RequestListing, isApproved: Bool, minutes: Int?, at node: any NodeInterface
  ) async -> [String] {
    let (name, wish) = (ShownText.safe(answered.childName.text), wish(answered, minutes: minutes))
    guard isApproved else { return ["\(name) does not get \(wish)."] }
    return ["\(name) gets \(wish)."] + [await obstacle(answered, at: node)].compactMap(\.self)
  }

  /// Returns a sentence about what keeps a child from using now what it was given; `nil` if nothing
  /// does.
  private static func obstacle(_ answered: RequestListing, at node: any NodeInterface) async -> String? {
    let child = answered.childName.text
    if let app = answered.appID {
      guard let found = try? await node.ask(Endpoints.getExplanation, (child, app.text, nil)),
        !found.app.verdict.isAllowed
      else { return nil }
      let verdict = found.app.verdict
      let until = verdict.until.map { ", until \(TodayText.clock($0, at: found.at, zone: found.zone))" } ?? ""
      let exception = found.app.exception
      let stays = exception.isEmpty ? "stays closed" : "is still not allowed by the rules"
      return "\(ShownText.safe(found.app.displayName)) \(stays) for now: "
        + "\(ShownText.safe(verdict.reason ?? "a rule"))\(until)\(exception)."
    }
    return (try? await node.ask(Endpoints.getToday, child)).flatMap(TodayText.obstacle)
  }
}
