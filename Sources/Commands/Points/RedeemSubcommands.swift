import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyWeb

struct RedeemingOptions: ParsableArguments {
  @Option(help: .value("child", "Whose points, on the machine of several children.")) var child: String?

  @Option(help: .value("text|json", "Write the result as JSON.")) var format: AnswerFormat = .text
}

struct RedeemSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redeem", abstract: "Change points into time for rewards.",
    discussion: """
      On a child's machine, where the family redeems points first. The rate and the last day of the time are settled now.

      Example: latchkey redeem 20
      Example: latchkey redeem 30 --minutes
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RedeemingOptions

  @Argument(help: .value("number", "How many points, or with --minutes how much time.")) var number: String

  @Flag(help: "The number is of minutes to buy, not of points.") var minutes = false

  static let noMinutes = Phrase("Buy 1 to 1,440 minutes, such as 30.")
  static let noPoints = Phrase(
    "Give a number of points above 0, such as 20, up to 1,000,000; or a time, such as 30 --minutes.")

  mutating func validate() throws { _ = try request() }

  private func request() throws -> PointsRedemption {
    guard !minutes else {
      guard let time = Int(number), (1...1_440).contains(time) else { throw ValidationError(Self.noMinutes.worded()) }
      return PointsRedemption(child: options.child, minutes: time)
    }
    guard let points = PointsText.milliPoints(number), points > 0 else { throw ValidationError(Self.noPoints.worded()) }
    return PointsRedemption(child: options.child, milliPoints: points)
  }

  func run() async throws {
    let result = try await node.open().ask(Endpoints.redeemPoints, request())
    let language = TerminalEnvironment.current.language
    if options.format == .json { return try console.write(JSONText.pretty(result)) }
    var arguments = result.arguments
    guard let last = result.lastDay else {
      return console.note(ShownText.worded(Phrase("{points} became {time}. {rest} are left.", arguments), in: language))
    }
    // In English, the day is written as commands take it.
    arguments["day"] = language == .english ? .text("\(last)") : .phrase(PageClock.day(last))
    console.note(
      ShownText.worded(
        Phrase("{points} became {time}, to be used until {day}. {rest} are left.", arguments), in: language))
  }
}

struct RefundSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refund", abstract: "Change redeemed time that is left back into points.",
    discussion: """
      On a child's machine. The points come back at the rate at which they were redeemed.

      Example: latchkey refund
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RedeemingOptions

  func run() async throws {
    let result = try await node.open().ask(Endpoints.refundPoints, PointsRedemption(child: options.child))
    let language = TerminalEnvironment.current.language
    if options.format == .json { return try console.write(JSONText.pretty(result)) }
    let phrase = Phrase("{time} became {points} again. {rest} are there now.", result.arguments)
    console.note(ShownText.worded(phrase, in: language))
  }
}

extension PointsRedeemed {
  fileprivate var arguments: [String: Phrase.Argument] {
    [
      "points": .phrase(PointsText.phrase(milliPoints)), "time": .phrase(SpanText.phrase(whole: milliseconds)),
      "rest": .phrase(PointsText.phrase(points.balance)),
    ]
  }
}
