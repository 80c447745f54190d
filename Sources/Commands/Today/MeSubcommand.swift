import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct MeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "me", abstract: "Show what is left for you today, on a child's machine.",
    discussion: """
      Says what is left, what is closed and why, and what became of today's requests. How to get more: learn, `latchkey redeem` \
      points, or `latchkey ask`.

      In an account that several children share, say who is there with --i-am, which asks for the PIN that a parent has given: \
      your rules hold and your time counts until you log out, or until --leave.

      Example: latchkey me
      Example: latchkey me --web
      Example: latchkey me --i-am Ben
      """)

  @OptionGroup var listing: ListingOptions

  @Option(
    name: .customLong("i-am"),
    help: .value("child", "Say who is there in an account that is shared; nobody for no child."),
    completion: CompletionNames.sharers)
  var iAm: String?

  @Flag(help: "Say that nobody is there any more, without a PIN.") var leave = false
  @Flag(help: "Open this as a page in the browser, where you can also ask and change points into time.") var web = false

  static let both = Phrase("Give --i-am or --leave, not both.")
  static let onPage = Phrase("Say on the page who is there: give --web alone.")

  func validate() throws {
    if leave, iAm != nil { throw ValidationError(Self.both.worded()) }
    if web, leave || iAm != nil { throw ValidationError(Self.onPage.worded()) }
  }

  func run() async throws {
    if web { return try await PagesOpening.open(listing.node, isPrinted: false) }
    let language = TerminalEnvironment.current.language
    let interface = try await listing.node.open()
    if leave || iAm?.lowercased() == "nobody" {
      return console.note(try await PresenceText.leave(interface, in: language))
    }
    if let iAm { return console.note(try await PresenceText.name(iAm, interface, in: language)) }
    let day: ChildToday
    do { day = try await interface.ask(Endpoints.getOwnToday) } catch { return try await showUnnamed(interface, error) }
    if listing.format == .json { return try console.write(JSONText.pretty(day)) }
    try console.say(TodayText.line(day, in: language))
    for app in day.apps where !app.verdict.isAllowed {
      try console.say(MeText.closed(app, at: day.at, zone: day.zone, in: language))
    }
    let ends = MeText.ends(day)
    for app in ends { try console.say(MeText.end(app, day, in: language)) }
    for sentence in TodayText.points(day, in: language) { try console.say(sentence) }
    let learning = day.apps.filter { $0.category == .learning && $0.verdict.isAllowed }
    if !learning.isEmpty, day.milliPoints != nil {
      let names = learning.prefix(8).map(\.displayName).joined(separator: ", ")
      try console.say(ShownText.worded(Phrase("Learning earns points: {apps}.", ["apps": .text(names)]), in: language))
    }
    let requests = try await interface.ask(Endpoints.getRequests, day.childID.description)
    for request in requests { try console.say(MeText.request(request, in: language)) }
    for notice in day.notices where !ends.contains(where: { MeText.isSaid(notice.worded(), of: $0) }) {
      console.note(ShownText.worded(notice, in: language))
    }
    if let hint = MeText.hint(day, requests, in: language) { console.note(hint) }
  }

  /// Shows what holds while nobody has said who is there; throws a refusal with another reason.
  private func showUnnamed(_ interface: any NodeInterface, _ refusal: LocalAPIError) async throws {
    guard refusal.code == .unknownChild else { throw refusal }
    let account = try await interface.ask(Endpoints.getPresence)
    guard let unnamed = account.unnamed else { throw refusal }
    let language = TerminalEnvironment.current.language
    if listing.format == .json { return try console.write(JSONText.pretty(account)) }
    for sentence in PresenceText.sentences(unnamed, in: language) { try console.say(sentence) }
    for app in unnamed.apps { try console.say(MeText.closed(app, at: unnamed.at, zone: unnamed.zone, in: language)) }
  }
}

/// What `latchkey me` says beside a child's day.
enum MeText {
  /// Returns what became of a request, such as “You asked for 30 min: no on Kitchen laptop”.
  static func request(_ request: RequestListing, in language: Language = .english) -> String {
    var arguments: [String: Phrase.Argument] = ["wish": .phrase(request.wish())]
    let phrase: Phrase
    switch request.state {
    case .open: phrase = Phrase("You asked for {wish}: your parents have not answered yet.", arguments)
    case .expired: phrase = Phrase("You asked for {wish}: nobody answered, and the day is over.", arguments)
    case .approved, .denied:
      arguments["answer"] = .phrase(RequestText.phrase(request))
      phrase = Phrase("You asked for {wish}: {answer}.", arguments)
    }
    return ShownText.worded(phrase, in: language)
  }

  /// The rules of applications and groups, by the first word of the rule.
  private static let ownRules: Set<Substring> = ["appLimit", "appHours", "groupLimit", "groupHours", "groupWeekly"]

  /// Returns the applications that close before the screen time ends, the first to close first.
  ///
  /// They run, or have hours or a limit of their own or of a group.
  static func ends(_ day: ChildToday) -> [AppToday] {
    let running = Set(day.running.map(\.appID))
    let ends = day.apps.filter { app in
      guard app.verdict.isAllowed, let until = app.verdict.until else { return false }
      let isOwn = app.verdict.rule?.split(separator: " ").first.map { ownRules.contains($0) } ?? false
      guard isOwn || running.contains(app.appID), day.screen.isAllowed else { return false }
      return day.screen.until.map { until < $0 } ?? true
    }
    return ends.sorted { ($0.verdict.until ?? 0, $0.displayName) < ($1.verdict.until ?? 0, $1.displayName) }
  }

  static func end(_ app: AppToday, _ day: ChildToday, in language: Language = .english) -> String {
    var arguments: [String: Phrase.Argument] = [
      "app": .phrase(ProgramsName.phrase(app.displayName)),
      "state": .phrase(TodayText.phrase(app.verdict, at: day.at, zone: day.zone)),
    ]
    if let rule = app.verdict.reason { arguments["rule"] = .phrase(rule) }
    let phrase =
      switch (app.appID.isOfMany, app.verdict.reason != nil) {
      case (true, false): Phrase("{app} have {state}.", arguments)
      case (false, false): Phrase("{app} has {state}.", arguments)
      case (true, true): Phrase("{app} have {state} ({rule}).", arguments)
      case (false, true): Phrase("{app} has {state} ({rule}).", arguments)
      }
    return ShownText.worded(phrase, in: language)
  }

  /// Returns whether a notice says only what a line about an application's end says.
  static func isSaid(_ notice: String, of app: AppToday) -> Bool {
    guard app.verdict.isAllowed, let left = app.verdict.leftMilliseconds else { return false }
    return notice.hasPrefix("\(app.displayName): \(SpanText.left(left)) left (")
  }

  static func closed(_ app: AppToday, at now: Int64, zone: String, in language: Language = .english) -> String {
    let isBlocked = app.verdict.rule == "blocked"
    let state = isBlocked ? Phrase("blocked") : TodayText.phrase(app.verdict, at: now, zone: zone)
    // What a child has to know of a rule that one of its machines does not carry out.
    let isPartlyOpen = app.isPartlyOpen && !app.isLeftOpen
    let arguments: [String: Phrase.Argument] = [
      "app": .phrase(ProgramsName.phrase(app.displayName)),
      "state": .phrase(isPartlyOpen ? state : app.excepting(state)),
    ]
    let phrase =
      switch (app.appID.isOfMany, isPartlyOpen) {
      case (true, true): Phrase("{app} are {state}. The rules say so even where nothing closes them.", arguments)
      case (false, true): Phrase("{app} is {state}. The rules say so even where nothing closes it.", arguments)
      case (true, false): Phrase("{app} are {state}.", arguments)
      case (false, false): Phrase("{app} is {state}.", arguments)
      }
    return ShownText.worded(phrase, in: language)
  }

  /// Returns how to get more, and what shows why an application is closed.
  static func hint(_ day: ChildToday, _ requests: [RequestListing], in language: Language = .english) -> String? {
    var ways: [Phrase] = []
    if day.redeemedMilliseconds != nil, let points = day.milliPoints, points >= 1_000 {
      ways.append(
        Phrase(
          "change points into time with `latchkey redeem {points}`", ["points": .number(Int(min(10, points / 1_000)))]))
    }
    // Where nothing has an end, there is nothing to ask for.
    let isEndless =
      day.limitMilliseconds == nil
      && ([day.screen] + day.apps.map(\.verdict)).allSatisfy { $0.isAllowed && $0.until == nil }
    if !isEndless, !requests.contains(where: { $0.state == .open }) {
      ways.append(Phrase("ask your parents with `latchkey ask 30m`"))
    }
    var sentences: [Phrase] = []
    if let first = ways.first {
      sentences.append(
        ways.count == 1
          ? Phrase("For more, {way}.", ["way": .phrase(first)])
          : Phrase("For more, {way}, or {other}.", ["way": .phrase(first), "other": .phrase(ways[1])]))
    }
    if let app = day.apps.first(where: { !$0.verdict.isAllowed && !$0.appID.isOfMany }) {
      let names = Dictionary(day.apps.map { ($0.appID, $0.displayName) }) { first, _ in first }
      let word = ShellWord.person(RuleTerms(names: names).argument(app.appID))
      // By name, since a machine may serve several children.
      let child = ShellWord.person(day.name.text)
      let arguments: [String: Phrase.Argument] = [
        "child": .text(child), "word": .text(word), "app": .text(app.displayName),
      ]
      sentences.append(
        app.exception.isEmpty
          ? Phrase("`latchkey explain {child} --app {word}` shows why {app} is closed.", arguments)
          : Phrase("`latchkey explain {child} --app {word}` shows why {app} is not allowed by the rules.", arguments))
    }
    return sentences.isEmpty ? nil : sentences.map { ShownText.worded($0, in: language) }.joined(separator: " ")
  }
}
