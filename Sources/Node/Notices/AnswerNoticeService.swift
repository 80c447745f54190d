import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// A service that tells children of the answers to their requests as they arrive.
///
/// Answers that were known when the node started are not told again: `latchkey me` shows those of
/// today.
///
/// Spec: Protocol/07-local-api.md §4.
struct AnswerNoticeService: Sendable {
  let node: NodeService

  func run() async {
    let context = node.context
    var known: Set<CommandID>?
    await context.factNews.follow {
      if let told = await look(known) { known = told }
      // Until the first look has succeeded, it is tried again after a pause.
      return known == nil ? 1_000 : nil
    }
  }

  /// Tells of answers that are not known, and returns the answered requests; `nil` if the disk
  /// refuses now.
  private func look(_ known: Set<CommandID>?) async -> Set<CommandID>? {
    guard let household = try? await node.context.readHousehold() else { return nil }
    let context = node.context
    var answered: Set<CommandID> = []
    let children = household.children(of: context.own)
    for child in children {
      guard let requests = try? await node.call().requests(of: child) else { return nil }
      for request in requests {
        guard let answer = request.answer else { continue }
        answered.insert(request.requestID)
        guard let known, !known.contains(request.requestID) else { continue }
        context.notices.post(
          answer.isApproved ? .approved : .denied, key: "request/\(request.requestID)",
          Self.sentence(request, answer), to: child, at: context.now())
      }
    }
    context.notices.keep(children)
    return answered
  }

  /// Returns the sentence for the child.
  ///
  /// An example: “Kitchen laptop says yes to 30 min for Kart: then bed.”
  static func sentence(_ request: RequestListing, _ answer: RequestListing.Answer) -> Phrase {
    let arguments: [String: Phrase.Argument] = [
      "parent": .text("\(answer.by)"), "wish": .phrase(wish(request, answer)), "word": .text(answer.word),
    ]
    switch (answer.isApproved, answer.word.isEmpty) {
    case (true, true): return Phrase("“{parent}” says yes to {wish}.", arguments)
    case (true, false): return Phrase("“{parent}” says yes to {wish}: {word}", arguments)
    case (false, true): return Phrase("“{parent}” says no to {wish}.", arguments)
    case (false, false): return Phrase("“{parent}” says no to {wish}: {word}", arguments)
    }
  }

  private static func wish(_ request: RequestListing, _ answer: RequestListing.Answer) -> Phrase {
    guard let minutes = answer.minutes ?? request.minutes else {
      return request.appName.map { Phrase(verbatim: $0) } ?? Phrase("what you asked for")
    }
    let time = Phrase.Argument.phrase(SpanText.phrase(minutes: minutes))
    guard request.appName != nil || request.category != nil else { return Phrase("{time} more", ["time": time]) }
    return request.wish(minutes: minutes)
  }
}
