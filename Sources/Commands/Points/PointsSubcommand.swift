import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct PointsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "points", abstract: "Show and change the points of a child.",
    discussion: """
      Learning earns points and rewards cost them, where the family uses points.

      Example: latchkey points Emma
      """,
    subcommands: [PointsShowSubcommand.self, PointsAdjustSubcommand.self, PointsReviewSubcommand.self],
    defaultSubcommand: PointsShowSubcommand.self)
}

struct PointsShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the points of a child and their last changes.",
    discussion: """
      Example: latchkey points Emma
      Example: latchkey points show Emma --last 1000 --format csv
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: OnlyChildArgument

  @Option(help: .value("number", "How many changes to show.")) var last: Int = 10
  @Option(help: .value("table|json|csv", "How to write it.")) var format: UsageFormat = .table

  mutating func validate() throws {
    if !(1...10_000).contains(last) { throw ValidationError("Show 1 to 10,000 changes, such as 10.") }
  }

  func run() async throws {
    let interface = try await node.open()
    let points = try await interface.ask(Endpoints.getPoints, (whose.child, last))
    switch format {
    case .json: try console.write(JSONText.pretty(points))
    case .csv:
      let zone = try await FamilyClock(at: interface).zone
      try console.write(
        CSVText.render(
          ["at", "day", "kind", "points", "machine", "what", "reason"],
          rows: points.entries.map { entry in
            [
              TimeText.exact(entry.at, zone: zone), entry.day.description, entry.kind,
              PointsText.text(entry.milliPoints), entry.deviceName.text, entry.words, entry.note,
            ]
          }))
    case .table:
      let role = try await interface.ask(Endpoints.getStatus).role
      let language = role == .child ? TerminalEnvironment.current.language : .english
      for sentence in PointsSentences.all(points, on: role, in: language) { try console.say(sentence) }
      guard !points.entries.isEmpty else { return }
      let zone = try await FamilyClock(at: interface).zone
      let rows = points.entries.map { entry in
        [
          TimeText.short(entry.at, zone: zone), PointsSentences.signed(entry.milliPoints),
          ShownText.worded(PointsSentences.what(entry), in: language), entry.deviceName.text,
        ]
      }
      let heads: [Phrase] = ["When", "Points", "What", "Machine"]
      try console.write(
        "\n"
          + TableText.render(
            heads, numbers: [1], spare: [3], wrap: [2], rows: rows, empty: Phrase(verbatim: ""), in: language))
    }
  }
}

struct PointsAdjustSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adjust", abstract: "Give points to a child, or take some away.",
    discussion: """
      Points that are taken away come from this machine first, and then from the child's machines, which say how much they \
      had. The exit status is 65 if there was nothing to take.

      Example: latchkey points adjust Emma +50 --reason "cleaned the kitchen"
      Example: latchkey points adjust Emma -10 --reason "broke the rules"
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("child", "The child."), completion: CompletionNames.children) var child: String

  // A number with a minus looks like an option, so that the parser gives it to a list alone.
  @Argument(parsing: .allUnrecognized, help: .value("points", "The points, such as +50 or -10.")) var change: [String]

  @Option(help: .value("text", "Why, which the child can read.")) var reason: String

  @Option(wait: "Wait until the child's machines have answered, at most this long.") var wait: WaitingTime?

  @Option(help: .value("text|json", "Write the result as JSON.")) var format: AnswerFormat = .text

  private static func signed(_ texts: [String]) throws -> Int64 {
    guard let text = texts.first, texts.count == 1 else {
      throw ValidationError("Give one number of points, such as +50 or -10.")
    }
    let digits = text.hasPrefix("+") || text.hasPrefix("-") ? String(text.dropFirst()) : text
    guard let points = PointsText.milliPoints(digits), points > 0 else {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no number of points: give one such as +50 or -10, at most 1,000,000.")
    }
    return text.hasPrefix("-") ? -points : points
  }

  mutating func validate() throws {
    let milliPoints = try Self.signed(change)
    if let fault = PointsAdjustment(child: child, milliPoints: milliPoints, reason: reason).textFault {
      throw ValidationError(fault)
    }
  }

  func run() async throws {
    let interface = try await node.open()
    let result = try await interface.ask(
      Endpoints.adjustPoints, PointsAdjustment(child: child, milliPoints: Self.signed(change), reason: reason))
    if format == .json {
      try console.write(JSONText.pretty(result))
    } else {
      for sentence in PointsSentences.adjusted(result) { console.note(sentence) }
    }
    if result.milliPoints == 0, result.asked == 0 { throw TerminalFailure(.data) }
    guard let time = wait else { return }
    let peers = try await interface.ask(Endpoints.getDevices)
    for command in result.commands {
      let id = command.commandID.description
      let ended = try await CommandWaiter(node: interface).wait(id, seconds: time.seconds)
      try CommandEnd.tell(
        ended, id: id, machine: peers.first { $0.device.deviceID == command.target }?.device.name,
        format: format == .json ? .json : .table, time: time)
    }
  }
}

struct PointsReviewSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Decide about learning that looks wrong.",
    discussion: """
      `latchkey points` shows what waits for a review, and why. The first decision holds.

      Example: latchkey points review 3f2a --approve
      """)

  enum Decision: String, EnumerableFlag {
    case approve, reject

    static func help(for value: Decision) -> ArgumentHelp? {
      value == .approve ? "It earns its points." : "It earns nothing."
    }
  }

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("ID", "The learning, as `latchkey points` shows it; may be left out if only one waits."))
  var id: String?

  @Flag(help: "What is decided.") var decision: Decision

  @Option(wait: "Wait until the child's machine has answered, at most this long.") var wait: WaitingTime?

  func run() async throws {
    let interface = try await node.open()
    let command = try await interface.ask(
      Endpoints.reviewPoints, PointsReview(record: id, isApproved: decision == .approve))
    let peer = try? await interface.ask(Endpoints.getDevices).first { $0.device.deviceID == command.target }
    for sentence in CommandIssue.delivery(to: [peer.map(EditedMachine.init)], isWaiting: wait != nil) {
      console.note(sentence)
    }
    guard let time = wait else { return }
    let ended = try await CommandWaiter(node: interface).wait(command.commandID.description, seconds: time.seconds)
    try CommandEnd.tell(ended, id: "last", machine: peer?.device.name, format: .table, time: time)
  }
}
