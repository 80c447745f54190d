import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct TodaySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "today", abstract: "Show a child's day: what was used, what runs, what is left.",
    discussion: """
      Without a child, all children are shown. The use of all machines counts as far as it is known here, each minute once.

      Example: latchkey today
      Example: latchkey today Emma --follow
      """)

  @OptionGroup var listing: ListingOptions

  @Argument(help: .value("child", "The child; all children if it is left out."), completion: CompletionNames.children)
  var child: String?

  @Flag(help: "Go on with a line for each change.") var follow = false

  func run() async throws {
    let interface = try await listing.node.open()
    let children = try await children(at: interface)
    if follow { return try await watch(children, at: interface) }
    var days: [ChildToday] = []
    for child in children { days.append(try await interface.ask(Endpoints.getToday, child)) }
    if listing.format == .json { return try console.write(JSONText.pretty(days)) }
    if days.isEmpty { return try console.say("No child is known here yet: `latchkey children` lists them.") }
    for day in days { try console.say(TodayText.line(day)) }
    guard days.count == 1, let day = days.first else { return }
    if !day.apps.isEmpty { try console.write("\n" + TodayText.table(day)) }
    for notice in day.notices { console.note(ShownText.worded(notice)) }
  }

  private func children(at interface: any NodeInterface) async throws -> [String] {
    if let child { return [child] }
    return try await interface.ask(Endpoints.getChildren).map(\.childID.description)
  }

  private func watch(_ children: [String], at interface: any NodeInterface) async throws {
    guard children.count == 1, let child = children.first else {
      throw TerminalFailure(
        .usage, "One child is followed at a time: name one, such as `latchkey today Emma --follow`.")
    }
    let changes = try await interface.ask(Endpoints.changeEvents, nil)
    var last: ChildToday?
    for await change in changes where last.map({ change.concerns(dayOf: $0.childID) }) ?? true {
      let day = try await interface.ask(Endpoints.getToday, child)
      defer { last = day }
      if day.withoutTime == last?.withoutTime { continue }
      switch listing.format {
      case .json: try console.write(JSONText.line(day))
      case .table: try console.say("\(TodayText.clock(day.at, day))  \(TodayText.line(day))")
      }
    }
    throw TerminalFailure(.unavailable, "The node has stopped: start it again with `latchkey run`.")
  }
}

enum TodayText {
  /// Returns a line such as "Emma 1 h 12 min of 2 h · 48 min left, until 19:20".
  static func line(_ day: ChildToday, in language: Language = .english) -> String {
    let used: [String: Phrase.Argument] = [
      "child": .text(day.name.text), "time": .phrase(SpanText.phrase(whole: day.usedMilliseconds)),
    ]
    var parts = [Phrase("{child} {time} used today", used)]
    // A limit of no time has no parts.
    if let limit = day.limitMilliseconds, limit > 0 {
      let limited = used.merging(["limit": .phrase(SpanText.phrase(whole: limit))]) { $1 }
      parts = [Phrase("{child} {time} of {limit}", limited)]
    }
    if let rest = breakWords(day) {
      if let limit = day.limitMilliseconds, limit > day.usedMilliseconds {
        let left = SpanText.phrase(left: limit - day.usedMilliseconds)
        parts.append(Phrase("{time} left", ["time": .phrase(left)]))
      }
      parts.append(rest)
    } else if day.screen.rule != nil {
      parts.append(phrase(day.screen, at: day.at, zone: day.zone))
    } else if day.screen.isAllowed, day.limitMilliseconds == nil {
      parts.append(Phrase("no limit"))
    }
    for session in day.running {
      let running = Phrase(
        "{app} on {machine} since {time}",
        [
          "app": .phrase(ProgramsName.phrase(session.displayName)), "machine": .text(session.deviceName.text),
          "time": .text(clock(session.since, day)),
        ])
      parts.append(session.isStale ? Phrase("{running} (not heard of lately)", ["running": .phrase(running)]) : running)
    }
    return parts.map { ShownText.worded($0, in: language) }.joined(separator: " · ")
  }

  /// Returns when the next break is, such as "break in 20 min, at 14:20"; `nil` in a break, or if
  /// the time is over before.
  private static func breakWords(_ day: ChildToday) -> Phrase? {
    guard day.screen.isAllowed, day.screen.rule == "breaks", let left = day.screen.leftMilliseconds else { return nil }
    var arguments: [String: Phrase.Argument] = ["time": .phrase(SpanText.phrase(left: left))]
    guard let until = day.screen.until else { return Phrase("break in {time}", arguments) }
    arguments["clock"] = .text(clock(until, day))
    return Phrase("break in {time}, at {clock}", arguments)
  }

  /// Returns a verdict in words, such as "48 min left, until 19:20" or "not allowed: bedtime, until
  /// 07:00", at a time in Unix milliseconds.
  static func phrase(_ verdict: VerdictToday, at now: Int64, zone: String) -> Phrase {
    var arguments: [String: Phrase.Argument] = [:]
    if let until = verdict.until { arguments["until"] = .text(clock(until, at: now, zone: zone)) }
    guard verdict.isAllowed else {
      arguments["why"] = .phrase(verdict.reason ?? Phrase("a rule"))
      if verdict.until != nil, verdict.hasException { return Phrase("not allowed until {until}: {why}", arguments) }
      return verdict.until == nil
        ? Phrase("not allowed: {why}", arguments) : Phrase("not allowed: {why}, until {until}", arguments)
    }
    guard let left = verdict.leftMilliseconds else { return Phrase("allowed") }
    arguments["time"] = .phrase(SpanText.phrase(left: left))
    return verdict.until == nil ? Phrase("{time} left", arguments) : Phrase("{time} left, until {until}", arguments)
  }

  /// Returns a sentence about what keeps a child from using any time now; `nil` if nothing does.
  static func obstacle(_ day: ChildToday) -> String? {
    guard !day.screen.isAllowed else { return nil }
    let (name, words) = (ShownText.safe(day.name.text), ShownText.worded(day.screen.reason ?? Phrase("a rule")))
    let until = day.screen.until.map { "until \(clock($0, day))" }
    if let until, day.screen.hasException { return "\(name) still has to wait \(until): \(words)." }
    return "\(name) still has to wait: \(words)\(until.map { ", \($0)" } ?? "")."
  }

  /// Returns sentences on what is left to pay rewards with; none where the family uses no points.
  static func points(_ day: ChildToday, in language: Language = .english) -> [String] {
    pointsPhrases(day).map { ShownText.worded($0, in: language) }
  }

  private static func pointsPhrases(_ day: ChildToday) -> [Phrase] {
    guard let milliPoints = day.milliPoints.map(PointsText.left) else { return [] }
    let points = ["points": Phrase.Argument.phrase(PointsText.phrase(milliPoints))]
    let isOne = milliPoints == 1_000
    guard let redeemed = day.redeemedMilliseconds else {
      if milliPoints <= 0 { return [Phrase("No points are left for rewards.")] }
      return [isOne ? Phrase("{points} is left.", points) : Phrase("{points} are left.", points)]
    }
    let time =
      redeemed > 0
      ? Phrase("{time} of redeemed time is left.", ["time": .phrase(SpanText.phrase(left: redeemed))])
      : Phrase("No redeemed time is left on this machine.")
    if milliPoints <= 0 { return [time, Phrase("No points are left to redeem.")] }
    return [
      time, isOne ? Phrase("{points} is left to redeem.", points) : Phrase("{points} are left to redeem.", points),
    ]
  }

  static func table(_ day: ChildToday) -> String {
    TableText.render(
      ["Application", "Category", "Used", "Now", "Why"], numbers: [2], spare: [1], wrap: [0, 3, 4],
      rows: day.apps.map { app in
        [
          app.displayName, app.category.rawValue,
          app.usedMilliseconds == 0 ? "–" : SpanText.minutes(Int(clamping: app.usedMilliseconds / 60_000)),
          app.verdict.isAllowed
            ? ShownText.worded(phrase(app.verdict, at: day.at, zone: day.zone))
            : app.isLeftOpen
              ? "not closed"
              : (app.isPartlyOpen ? "not closed everywhere" : "not allowed")
                + (app.verdict.until.map { ", until \(clock($0, day))" } ?? ""),
          (app.verdict.reason?.worded() ?? "") + app.exception,
        ]
      }, empty: "Nothing was used today.")
  }

  static func clock(_ milliseconds: Int64, _ day: ChildToday) -> String {
    clock(milliseconds, at: day.at, zone: day.zone)
  }

  /// Returns a time on the family's clock, with its date unless that is the date of `now`.
  static func clock(_ milliseconds: Int64, at now: Int64, zone: String) -> String {
    let zone = TimeText.zone(zone)
    let (time, today) = (TimeText.short(milliseconds, zone: zone), TimeText.short(now, zone: zone))
    // What is less than a day away needs no date.
    return time.prefix(10) == today.prefix(10) || abs(milliseconds - now) < 72_000_000 ? String(time.suffix(5)) : time
  }
}
