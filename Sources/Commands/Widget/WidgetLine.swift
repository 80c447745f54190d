import LatchkeyModel
import LatchkeyNode

/// What a status bar shows at one moment.
struct WidgetLine: Hashable {
  /// The state that a bar gives a color or a style.
  enum Mood: String {
    /// A child's time has no limit.
    case free
    case left
    /// A quarter of an hour is left, or less.
    case low
    /// A child's time is over, or has not begun.
    case over
    /// On a parent's machine, nothing waits for a person.
    case well
    /// A child asks for something.
    case asked
    case warned
    /// The node does not answer, or not to this account.
    case away

    /// The color, as `#RRGGBB`; `nil` for the bar's own.
    var color: String? {
      switch self {
      case .free, .left, .well: nil
      case .low, .asked: "#e5a50a"
      case .over, .warned: "#e01b24"
      case .away: "#888888"
      }
    }
  }

  var text: String
  var mood: Mood
  /// The details, one sentence or row each.
  var details: [String]
  /// How much of a child's limit of the day is left, 0 to 100; `nil` without a limit.
  var percentage: Int?
  /// Whether a person should look now.
  var isUrgent = false

  /// The most details, and the most characters of each.
  private static let (mostDetails, longestDetail) = (12, 300)

  init(_ text: String, _ mood: Mood, details: [String], percentage: Int? = nil, isUrgent: Bool = false) {
    (self.text, self.mood, self.percentage, self.isUrgent) = (text, mood, percentage, isUrgent)
    self.details = details.prefix(Self.mostDetails).map { detail in
      detail.count > Self.longestDetail ? detail.prefix(Self.longestDetail - 1) + "…" : detail
    }
  }

  private static let minute: Int64 = 60_000

  /// Creates a child's line, such as “48 min”, “48 min to bedtime” or “bedtime until 07:00”.
  init(_ day: ChildToday, in language: Language = .english) {
    let left = day.screen.isAllowed ? day.screen.leftMilliseconds : 0
    let percentage = day.limitMilliseconds.map { limit -> Int in
      let rest = min(max(0, limit - day.usedMilliseconds), left ?? .max)
      return limit > 0 ? Int(min(100, Double(rest) / Double(limit) * 100)) : 0
    }
    self.init(
      ShownText.worded(Self.words(day), in: language), Self.mood(day.screen),
      details: [TodayText.line(day, in: language)] + day.notices.map { ShownText.worded($0, in: language) },
      percentage: percentage, isUrgent: day.screen.isAllowed && left.map { $0 <= 5 * Self.minute } ?? false)
  }

  /// Creates the line of an account that children share, while nobody has said who is there.
  init(_ unnamed: UnnamedToday, in language: Language = .english) {
    let state = Self.words(unnamed.screen, at: unnamed.at, zone: unnamed.zone)
    let details = Phrase(
      "Children share this account: say who is here with `latchkey me --i-am`. Until then the stricter rules hold.")
    self.init(
      ShownText.worded(Phrase("who is here? {state}", ["state": .phrase(state)]), in: language),
      Self.mood(unnamed.screen), details: [ShownText.worded(details, in: language)])
  }

  private static func mood(_ screen: VerdictToday) -> Mood {
    guard screen.isAllowed else { return .over }
    return screen.leftMilliseconds.map { $0 <= 15 * minute ? .low : .left } ?? .free
  }

  private static func words(_ day: ChildToday) -> Phrase { words(day.screen, at: day.at, zone: day.zone) }

  /// Returns what is left of screen time in few words, at a time in Unix milliseconds.
  private static func words(_ screen: VerdictToday, at now: Int64, zone: String) -> Phrase {
    guard screen.isAllowed else {
      let why: Phrase =
        switch screen.rule {
        case "lock": Phrase("locked")
        case "bedtime": Phrase("bedtime")
        case "breaks": Phrase("break")
        default: Phrase("time is up")
        }
      guard let until = screen.until else { return why }
      return Phrase(
        "{why} until {until}", ["why": .phrase(why), "until": .text(TodayText.clock(until, at: now, zone: zone))])
    }
    guard let left = screen.leftMilliseconds else { return Phrase("no limit") }
    let time = ["time": Phrase.Argument.phrase(SpanText.phrase(left: left))]
    return switch screen.rule {
    case "bedtime": Phrase("{time} to bedtime", time)
    case "breaks": Phrase("{time} to a break", time)
    default: SpanText.phrase(left: left)
    }
  }

  /// Creates a parent's line, such as “1 request · Emma 48 min · Ben off”, from the days of the
  /// children who have a machine, and whether one of the child's machines is connected.
  init(requests: [RequestListing], days: [(day: ChildToday, isConnected: Bool)], warnings: [String]) {
    let open = requests.filter { $0.state == .open }
    var parts = open.isEmpty ? [] : [ShownText.count(open.count, "request")]
    // What is left on a machine that is off is not known.
    parts += days.prefix(4).map { day, isConnected in
      "\(ShownText.safe(day.name.text)) \(isConnected ? ShownText.worded(Self.words(day)) : "off")"
    }
    if days.count > 4 { parts.append("+\(days.count - 4)") }
    if !warnings.isEmpty { parts.append(ShownText.count(warnings.count, "warning")) }
    let asked = open.map { "\(ShownText.safe($0.childName.text)) asks for \(RequestText.wish($0))." }
    let told = days.map { day, isConnected in
      isConnected ? TodayText.line(day) : "\(ShownText.safe(day.name.text)) is off: what is left is not known."
    }
    self.init(
      parts.isEmpty ? "Latchkey" : parts.joined(separator: " · "),
      !open.isEmpty ? .asked : warnings.isEmpty ? .well : .warned,
      details: asked + told + warnings.map(ShownText.safe)
        + (warnings.isEmpty ? [] : ["What to do is shown by `latchkey status`."]), isUrgent: !open.isEmpty)
  }

  init(away error: any Error, in language: Language = .english) {
    let text =
      switch (error as? LocalAPIError)?.code {
      case nil, .timeout: Phrase("Latchkey is off")
      case .unknownChild, .forbidden: Phrase("no child here")
      default: Phrase("no answer")
      }
    let sentence =
      TerminalFailure(error)?.sentence
      ?? Phrase("Latchkey did not answer: run `latchkey status` to see why.").worded(in: language)
    self.init(ShownText.worded(text, in: language), .away, details: [ShownText.safe(sentence)])
  }
}
