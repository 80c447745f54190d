import LatchkeyModel
import LatchkeyNode

enum RequestText {
  /// Returns what a child asks for, such as "30 min for rewards".
  static func wish(_ request: RequestListing, minutes given: Int? = nil) -> String {
    ShownText.worded(request.wish(minutes: given))
  }

  static func answering(_ request: RequestListing, isOnly: Bool) -> String {
    guard !isOnly else { return "`latchkey approve` or `latchkey deny` answers it; the first answer holds." }
    return
      "`latchkey approve \(request.short)` or `latchkey deny \(request.short)` answers the one at the top, by its ID; the "
      + "first answer holds."
  }

  /// Returns a sentence with the command for each of several requests when none was named.
  static func choice(of open: [RequestListing], isApproved: Bool) -> String {
    let verb = isApproved ? "approve" : "deny"
    let commands = open.map { request in
      "`latchkey \(verb) \(request.short)` for \(ShownText.safe(request.childName.text)) (\(wish(request)))"
    }
    return "\(open.count) requests wait for an answer: type \(commands.joined(separator: ", or "))."
  }

  /// Returns what became of a request, such as "yes, 20 min, on Kitchen laptop: after dinner".
  static func phrase(_ request: RequestListing) -> Phrase {
    guard let answer = request.answer else {
      return request.state == .open ? Phrase("waits") : Phrase("nobody answered")
    }
    let said = said(answer)
    let worded =
      answer.word.isEmpty ? said : Phrase("{answer}: {word}", ["answer": .phrase(said), "word": .text(answer.word)])
    return request.overtaken.reduce(worded) { all, second in
      Phrase("{answer}; second: {second}", ["answer": .phrase(all), "second": .phrase(Self.said(second))])
    }
  }

  private static func said(_ answer: RequestListing.Answer) -> Phrase {
    var arguments: [String: Phrase.Argument] = ["machine": .text(answer.by.text)]
    guard answer.isApproved else { return Phrase("no on {machine}", arguments) }
    guard let minutes = answer.minutes else { return Phrase("yes on {machine}", arguments) }
    arguments["time"] = .phrase(SpanText.phrase(minutes: minutes))
    return Phrase("yes, {time}, on {machine}", arguments)
  }

  /// Returns the sentences for a child who has asked: for what, and which parents have it already.
  static func asked(_ request: RequestListing, now: Int64, in language: Language = .english) -> String {
    let told = (request.told ?? []).map {
      Phrase.Argument.phrase(
        Phrase(
          "{machine} ({ago})",
          ["machine": .text($0.name.text), "ago": .phrase(ShownText.phrase(ago: $0.at, now: now))]))
    }
    var arguments: [String: Phrase.Argument] = ["wish": .phrase(request.wish()), "id": .text(request.short)]
    let phrase: Phrase
    if !told.isEmpty {
      arguments["machines"] = .list(told)
      phrase = Phrase("Your parents are asked for {wish} ({id}). It is on {machines}.", arguments)
    } else if request.told == nil {
      phrase = Phrase("Your parents are asked for {wish} ({id}).", arguments)
    } else {
      phrase = Phrase(
        "Your parents are asked for {wish} ({id}). No parent can be reached now; it is sent when one is.", arguments)
    }
    return ShownText.worded(phrase, in: language)
  }

  /// Returns what a child gets by a parent's answer, and what keeps the child from using it now.
  static func outcome(
    _ answered: RequestListing, isApproved: Bool, minutes: Int?, at node: any NodeInterface
  ) async -> [String] {
    let (name, wish) = (ShownText.safe(answered.childName.text), wish(answered, minutes: minutes))
    guard isApproved else { return ["\(name) does not get \(wish)."] }
    return ["\(name) gets \(wish)."] + (await obstacles(answered, at: node))
  }

  /// Returns what keeps a child from using now what it was given, with the commands that open it.
  private static func obstacles(_ answered: RequestListing, at node: any NodeInterface) async -> [String] {
    let child = answered.childName.text
    if let app = answered.appID {
      guard let found = try? await node.ask(Endpoints.getExplanation, (child, app.text, nil)),
        !found.app.verdict.isAllowed
      else { return [] }
      let verdict = found.app.verdict
      let until = verdict.until.map { ", until \(TodayText.clock($0, at: found.at, zone: found.zone))" } ?? ""
      let exception = found.app.exception
      let stays = exception.isEmpty ? "stays closed" : "is still not allowed by the rules"
      let sentence =
        "\(ShownText.safe(found.app.displayName)) \(stays) for now: "
        + "\(ShownText.worded(verdict.reason ?? Phrase("a rule")))\(until)\(exception)."
      return [sentence, ExplainedChange.sentence(found)].compactMap(\.self)
    }
    let today = try? await node.ask(Endpoints.getToday, child)
    return [today.flatMap(TodayText.obstacle)].compactMap(\.self)
  }
}
