import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The day for which a rule is set instead of the plan.
struct ExceptionOptions: ParsableArguments {
  @Flag(help: "Only today; the plan stays as it is.")
  var today = false

  @Option(
    help: ArgumentHelp("Only on this day, such as tomorrow or 2026-12-24.", valueName: "day"), transform: Self.day)
  var day: Day?

  /// A day that a person types.
  enum Day: Hashable, Sendable {
    case today
    case tomorrow
    case date(FamilyDay)
  }

  @Sendable private static func day(_ text: String) throws -> Day {
    switch text.lowercased() {
    case "today": return .today
    case "tomorrow": return .tomorrow
    default:
      guard let date = FamilyDay(text) else {
        throw ValidationError("That is no day: give one such as today, tomorrow or 2026-12-24.")
      }
      return .date(date)
    }
  }

  /// A Boolean value that indicates whether a day is named.
  var isGiven: Bool { today || day != nil }

  /// Throws `ValidationError` for two days, and for a day of the whole family's.
  func check(_ whose: RuleOwnerOptions) throws {
    if today, day != nil { throw ValidationError("Give --today or --day, not both.") }
    if isGiven, whose.family {
      throw ValidationError("An exception for a day is one child's: name the child with --child instead of --family.")
    }
  }

  /// Returns the key of the times of a kind: those of the plan, or of the day as the child's
  /// machines have it.
  func key(
    _ plan: RuleKind<RuleSet, WeekWindows>, _ exception: RuleKind<RuleSet.Today, DayWindows>, of owner: RuleOwner,
    at node: any NodeInterface
  ) async throws -> RuleKey {
    guard isGiven else { return plan.key }
    let now = FamilyClock(try await owner.rules(at: node)).today
    var date = now
    switch day {
    case .date(let given): date = given
    case .tomorrow: date = now.advanced(byDays: 1)
    case .today, nil: break
    }
    guard date >= now else {
      throw TerminalFailure(.usage, "That day is over: give today, which is \(now), or a later one.")
    }
    return exception.key(on: date)
  }
}
