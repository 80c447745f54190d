import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The sentences of pages about values of the local API.
enum PageWords {
  /// Returns a span of use in whole minutes, such as `1 h 12 min`.
  static func span(_ milliseconds: Int64) -> String { SpanText.minutes(Int(clamping: max(0, milliseconds) / 60_000)) }

  /// Returns names as a list, such as `A, B and C`.
  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Returns what holds for screen time in a few words, such as `48 min left`.
  static func figure(_ screen: VerdictToday) -> String {
    guard screen.isAllowed else { return screen.rule == Reason.lock.word ? "Locked" : "Closed" }
    return screen.leftMilliseconds.map { "\(SpanText.left($0)) left" } ?? "No limit now"
  }

  /// Returns which rule ends the time, or has ended it, and until when; `nil` if none does.
  static func reason(_ verdict: VerdictToday, _ clock: PageClock) -> String? {
    let until = verdict.until.map { "until \(clock.moment($0))" }
    let parts = [verdict.reason, until].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns what was used today, such as `1 h 12 min of 2 h used today`.
  static func used(_ day: ChildToday) -> String {
    let limit = day.limitMilliseconds.map { " of \(span($0))" } ?? ""
    return "\(span(day.usedMilliseconds))\(limit) used today"
  }

  /// Returns what holds for an application, such as `Chess: 12 min left, until 19:20`.
  static func application(_ app: AppToday, _ clock: PageClock) -> String {
    let verdict = app.verdict
    let until = verdict.until.map { ", until \(clock.moment($0))" } ?? ""
    if verdict.isAllowed { return verdict.leftMilliseconds.map { "\(SpanText.left($0)) left\(until)" } ?? "allowed" }
    let exception = app.exception
    return
      "\(exception.isEmpty ? "closed" : "not allowed by the rules"): \(verdict.reason ?? "a rule")\(until)\(exception)"
  }

  /// Returns what a child asks for, such as `30 min for rewards`.
  static func wish(_ request: RequestListing, minutes given: Int? = nil) -> String {
    guard let minutes = given ?? request.minutes else { return request.appName ?? "an application" }
    let purpose = request.appName ?? request.category.map { ReasonText.plural($0) }
    return SpanText.minutes(minutes) + (purpose.map { " for \($0)" } ?? "")
  }

  /// Returns what became of a request, such as `yes, 20 min, on Kitchen laptop: after dinner`.
  static func answer(_ request: RequestListing) -> String {
    guard let answer = request.answer else {
      return request.state == .open ? "no answer yet" : "nobody answered, and the day is over"
    }
    let minutes = answer.minutes.map { ", \(SpanText.minutes($0))" } ?? ""
    let word = answer.word.isEmpty ? "" : ": \(answer.word)"
    return "\(answer.isApproved ? "yes" : "no")\(minutes), on \(answer.by.text)\(word)"
  }

  /// Returns a sentence about each machine that gets an edit later.
  static func late(_ machines: [EditedMachine], _ clock: PageClock) -> [String] {
    machines.filter { !$0.isConnected }.map { machine in
      if machine.isNew {
        return "\(machine.name.text) has not been connected since it was paired. It gets this when it is."
      }
      let seen = machine.lastSeenAt.map { " (last seen \(clock.ago($0)))" } ?? ""
      return "\(machine.name.text) is off\(seen). It gets this when it is back."
    }
  }

  /// Returns how a machine is in touch, such as `in touch` or `off, last seen 20 min ago`.
  static func touch(_ peer: PeerStatus, _ clock: PageClock) -> String {
    if peer.isConnected { return "in touch" }
    if peer.marks.contains(.removalUntold) || peer.device.state == .removed { return "removed, not told yet" }
    if peer.marks.contains(.neverConnected) { return "never in touch since it was paired" }
    return peer.device.lastSeenAt.map { "off, last seen \(clock.ago($0))" } ?? "off"
  }

  /// Returns a sentence about how old the figures of a child are; `nil` if one of its machines is
  /// in touch.
  static func stale(_ child: ChildListing, _ peers: [PeerStatus], _ clock: PageClock) -> String? {
    if child.machines.isEmpty { return "No machine is this child's yet, so nothing is recorded or closed." }
    guard !peers.contains(where: \.isConnected) else { return nil }
    guard let seen = peers.compactMap(\.device.lastSeenAt).max() else {
      return "No machine of this child's has been in touch yet: what was used is not known."
    }
    return "These figures are of \(clock.moment(seen)), \(clock.ago(seen)), when a machine was last in touch. "
      + "What was used since then is not known here."
  }

  /// Returns a category as the head of a column or a row.
  static func title(_ category: AppCategory) -> String {
    switch category {
    case .learning: "Learning"
    case .reward: "Rewards"
    case .neutral: "Neutral"
    }
  }
}
