import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The sentences of pages about values of the local API.
enum PageWords {
  /// Returns a span of use in whole minutes, such as `1 h 12 min`.
  static func span(_ milliseconds: Int64) -> Phrase { SpanText.phrase(whole: milliseconds) }

  /// The mark of an empty cell in a table.
  static let none = Phrase(verbatim: "–")

  /// Returns milli-points as a number, such as `2.5`.
  static func number(_ milliPoints: Int64) -> Phrase { Phrase("{number}", ["number": PointsText.number(milliPoints)]) }

  /// Returns names as a list, such as `A, B and C`.
  static func list(_ names: [String]) -> Phrase { Phrase("{names}", ["names": .list(names.map { .text($0) })]) }

  /// Returns the state of screen time in a few words, such as `48 min left`.
  static func figure(_ screen: VerdictToday) -> Phrase {
    guard screen.isAllowed else { return screen.rule == Reason.lock.word ? Phrase("Locked") : Phrase("Closed") }
    guard let left = screen.leftMilliseconds else { return Phrase("No limit now") }
    return Phrase("{time} left", ["time": .phrase(SpanText.phrase(left: left))])
  }

  /// The rules whose time begins when the allowed time ends.
  private static let beginning: Set<String?> = [Reason.bedtime.word, Reason.breaks.word, Reason.school.word]

  /// Returns a sentence about the rule that ends the time, or has ended it, and until when; `nil`
  /// if there is none.
  static func reason(_ verdict: VerdictToday, _ clock: PageClock) -> Phrase? {
    guard let until = verdict.until else { return verdict.reason }
    let time = Phrase.Argument.phrase(clock.moment(until))
    guard let rule = verdict.reason else { return Phrase("until {time}", ["time": time]) }
    let arguments: [String: Phrase.Argument] = ["rule": .phrase(rule), "time": time]
    // A rule that has not begun would otherwise seem to last until then.
    if verdict.isAllowed, beginning.contains(verdict.rule) { return Phrase("{rule}, from {time}", arguments) }
    return verdict.hasException ? Phrase("until {time}: {rule}", arguments) : Phrase("{rule}, until {time}", arguments)
  }

  /// Returns the use of today, such as `1 h 12 min of 2 h used today`.
  static func used(_ day: ChildToday) -> Phrase {
    let time = Phrase.Argument.phrase(span(day.usedMilliseconds))
    // If the limit is no time, the use is not shown as a part of it.
    guard let limit = day.limitMilliseconds, limit > 0 else { return Phrase("{time} used today", ["time": time]) }
    return Phrase("{time} of {limit} used today", ["time": time, "limit": .phrase(span(limit))])
  }

  /// Returns the points that a child may spend, such as `12 points to spend`.
  static func points(_ milliPoints: Int64) -> Phrase {
    Phrase("{points} to spend", ["points": .phrase(PointsText.phrase(PointsText.left(milliPoints)))])
  }

  /// Returns a sentence about a running program: where it runs and since when.
  static func running(_ session: RunningNow, _ clock: PageClock) -> Phrase {
    Phrase(
      "{app} on {machine} since {time}",
      [
        "app": .phrase(ProgramsName.phrase(session.displayName)), "machine": .text(session.deviceName.text),
        "time": .phrase(clock.moment(session.since)),
      ])
  }

  /// Returns the state of an application, such as `12 min left, until 19:20`.
  static func application(_ app: AppToday, _ clock: PageClock) -> Phrase {
    let verdict = app.verdict
    let arguments: [String: Phrase.Argument] = [
      "time": .phrase(SpanText.phrase(left: verdict.leftMilliseconds ?? 0)),
      "why": .phrase(verdict.reason ?? Phrase("a rule")),
      "until": .phrase(verdict.until.map { clock.moment($0) } ?? none),
    ]
    if verdict.isAllowed {
      if verdict.leftMilliseconds == nil { return Phrase("allowed") }
      return verdict.until == nil ? Phrase("{time} left", arguments) : Phrase("{time} left, until {until}", arguments)
    }
    guard app.isLeftOpen || app.isPartlyOpen else {
      return verdict.until == nil
        ? Phrase("closed: {why}", arguments) : Phrase("closed: {why}, until {until}", arguments)
    }
    let state =
      verdict.until == nil
      ? Phrase("not allowed by the rules: {why}", arguments)
      : Phrase("not allowed by the rules: {why}, until {until}", arguments)
    return open(app, state)
  }

  /// Returns the state of an application that no machine, or not every machine, closes.
  private static func open(_ app: AppToday, _ state: Phrase) -> Phrase {
    let argument = ["state": Phrase.Argument.phrase(state)]
    return switch (app.isLeftOpen, app.appID.isOfMany) {
    case (true, true): Phrase("{state}, but nothing closes them", argument)
    case (true, false): Phrase("{state}, but nothing closes it", argument)
    case (false, true): Phrase("{state}, but they are not closed everywhere", argument)
    case (false, false): Phrase("{state}, but it is not closed everywhere", argument)
    }
  }

  /// Returns the outcome of a request, such as `yes, 20 min, on Kitchen laptop: after dinner`.
  static func answer(_ request: RequestListing) -> Phrase {
    guard let answer = request.answer else {
      return request.state == .open ? Phrase("no answer yet") : Phrase("nobody answered, and the day is over")
    }
    var arguments: [String: Phrase.Argument] = ["machine": .text(answer.by.text)]
    let said: Phrase
    if !answer.isApproved {
      said = Phrase("no, on {machine}", arguments)
    } else if let minutes = answer.minutes {
      arguments["time"] = .phrase(SpanText.phrase(minutes: minutes))
      said = Phrase("yes, {time}, on {machine}", arguments)
    } else {
      said = Phrase("yes, on {machine}", arguments)
    }
    return answer.word.isEmpty
      ? said : Phrase("{answer}: {word}", ["answer": .phrase(said), "word": .text(answer.word)])
  }

  /// Returns a sentence about each machine that gets an edit later.
  static func late(_ machines: [EditedMachine], _ clock: PageClock) -> [Phrase] {
    machines.filter { !$0.isConnected }.map { machine in
      var arguments: [String: Phrase.Argument] = ["machine": .text(machine.name.text)]
      if machine.isNew {
        return Phrase("{machine} has not been connected since it was paired. It gets this when it is.", arguments)
      }
      guard let seen = machine.lastSeenAt else {
        return Phrase("{machine} is off. It gets this when it is back.", arguments)
      }
      arguments["ago"] = .phrase(clock.ago(seen))
      return Phrase("{machine} is off (last seen {ago}). It gets this when it is back.", arguments)
    }
  }

  /// Returns the connection of a machine, such as `in touch` or `off, last seen 20 min ago`.
  static func touch(_ peer: PeerStatus, _ clock: PageClock) -> Phrase {
    if peer.isConnected { return Phrase("in touch") }
    if peer.marks.contains(.removalUntold) || peer.device.state == .removed { return Phrase("removed, not told yet") }
    if peer.marks.contains(.neverConnected) { return Phrase("never in touch since it was paired") }
    guard let seen = peer.device.lastSeenAt else { return Phrase("off") }
    return Phrase("off, last seen {ago}", ["ago": .phrase(clock.ago(seen))])
  }

  /// Returns the age of a child's figures; `nil` if one of the child's machines is in touch.
  static func stale(_ child: ChildListing, _ peers: [PeerStatus], _ clock: PageClock) -> Phrase? {
    if child.machines.isEmpty { return Phrase("No machine is this child's yet, so nothing is recorded or closed.") }
    guard !peers.contains(where: \.isConnected) else { return nil }
    guard let seen = peers.compactMap(\.device.lastSeenAt).max() else {
      return Phrase("No machine of this child's has been in touch yet: what was used is not known.")
    }
    return Phrase(
      """
      These figures are of {time}, {ago}, when a machine was last in touch. What was used since then is not known here.
      """, ["time": .phrase(clock.moment(seen)), "ago": .phrase(clock.ago(seen))])
  }

  /// Returns a category as the heading of a column or a row.
  static func title(_ category: AppCategory) -> Phrase {
    switch category {
    case .learning: Phrase("Learning")
    case .reward: Phrase("Rewards")
    case .neutral: Phrase("Neutral")
    }
  }
}

/// The clock of a family's time zone, for texts about moments.
package struct PageClock: Sendable {
  private static let weekdays: [Phrase] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months: [Phrase] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// The beginning of the year 2020, in Unix milliseconds.
  ///
  /// Latchkey did not exist before.
  private static let earliest: Int64 = 1_577_836_800_000
  private static let dayMilliseconds: Int64 = 86_400_000
  /// A moment may be another machine's statement.
  private static let moments: ClosedRange<Int64> = -2_000_000_000_000...250_000_000_000_000

  private let zone: TimeZone
  /// The present, in Unix milliseconds.
  let now: Int64

  /// Creates the clock of a zone by its IANA name or, without a name, of this machine's zone.
  init(zone: String? = nil, now: Int64) {
    self.zone = zone.map { TimeZone(identifier: $0) ?? .gmt } ?? .current
    self.now = now
  }

  /// Returns a moment: the time of day, such as `19:20`, with the day in front if the moment is not
  /// near.
  func moment(_ milliseconds: Int64) -> Phrase {
    guard isKnown(milliseconds) else { return Phrase("an unknown time") }
    let (then, present) = (local(milliseconds), local(now))
    let time = time(milliseconds)
    // A moment that is less than a day away needs no date.
    let isNear =
      abs(then.day * Self.dayMilliseconds + then.rest - present.day * Self.dayMilliseconds - present.rest) < 72_000_000
    guard then.day != present.day, !isNear else { return Phrase(verbatim: time) }
    let day = Self.day(FamilyDay(daysSinceEpoch: then.day))
    return Phrase("{day}, {time}", ["day": .phrase(day), "time": .text(time)])
  }

  /// Returns a moment as the time of day alone, such as `19:20`.
  func time(_ milliseconds: Int64) -> String {
    let minutes = local(milliseconds).rest / 60_000
    return "\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))"
  }

  /// Returns how long ago a moment was, such as `20 min ago`.
  func ago(_ milliseconds: Int64) -> Phrase {
    guard isKnown(milliseconds) else { return Phrase("at an unknown time") }
    let age = Self.held(now) - Self.held(milliseconds)
    guard age >= 60_000 else { return Phrase("just now") }
    guard age >= 86_400_000 else { return Phrase("{time} ago", ["time": .phrase(SpanText.phrase(of: age))]) }
    return Phrase(one: "{count} day ago", other: "{count} days ago", count: Int(age / 86_400_000))
  }

  /// Returns whether a moment can be right.
  ///
  /// A clock that was never set begins in 1970.
  func isKnown(_ milliseconds: Int64) -> Bool { milliseconds >= Self.earliest || now < Self.earliest }

  /// Returns a day in words, such as `Tue 24 Nov`.
  package static func day(_ day: FamilyDay) -> Phrase {
    let parts = day.description.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return Phrase(verbatim: day.description) }
    return Phrase(
      "{weekday} {day} {month}",
      ["weekday": .phrase(weekdays[weekday(day)]), "day": .number(parts[2]), "month": .phrase(months[parts[1] - 1])])
  }

  static func month(of day: FamilyDay) -> [FamilyDay] {
    let (start, month) = (day.advanced(byDays: 1 - dayOfMonth(day)), day.description.prefix(7))
    return (0..<31).map { start.advanced(byDays: $0) }.filter { $0.description.prefix(7) == month }
  }

  /// Returns the number of a day in its month, from 1.
  static func dayOfMonth(_ day: FamilyDay) -> Int { Int(day.description.suffix(2)) ?? 1 }
  static func name(_ day: FamilyDay) -> Phrase { weekdays[weekday(day)] }

  /// Returns a weekday, such as `Tue`.
  static func name(_ day: Weekday) -> Phrase { weekdays[day.rawValue] }

  /// Returns the index of a day in its week, 0 for Monday.
  static func weekday(_ day: FamilyDay) -> Int { Int(((day.daysSinceEpoch + 3) % 7 + 7) % 7) }

  private func local(_ milliseconds: Int64) -> (day: Int64, rest: Int64) {
    let held = Self.held(milliseconds)
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(held) / 1_000))
    let shifted = held + Int64(offset) * 1_000
    let rest = (shifted % Self.dayMilliseconds + Self.dayMilliseconds) % Self.dayMilliseconds
    return ((shifted - rest) / Self.dayMilliseconds, rest)
  }

  private static func held(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, moments.lowerBound), moments.upperBound)
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
