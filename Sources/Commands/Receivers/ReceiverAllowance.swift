import ArgumentParser
import Foundation
import LatchkeyModel

extension ReceiverRight: WordArgument {}

/// What a receiver may do besides reading, and the most of it in a day.
struct ReceiverAllowance: Hashable {
  var rights: [ReceiverRight] = []
  var mostMinutes = 0
  var mostPoints = 0
}

/// What a phone with ntfy may do.
struct PhoneRights: ParsableArguments {
  @Option(
    help: ArgumentHelp("Let it answer requests; otherwise it only reads.", valueName: "answer"),
    transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most time that its answers may give in a day.", valueName: "time"),
    transform: ReceiverAllowance.minutes)
  var atMost: Int?

  mutating func validate() throws {
    if may.contains(where: { $0 != .answer }) {
      throw ValidationError("A phone may answer requests and nothing else: --may answer.")
    }
    try ReceiverAllowance.check(may, atMost: atMost)
  }

  var allowed: ReceiverAllowance { ReceiverAllowance(rights: may, mostMinutes: atMost ?? 0) }
}

/// What Home Assistant may do through a broker.
struct HomeRights: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What it may do besides reading, with commas between: answer requests, grant time, lock, give points.",
      valueName: "answer,grant,lock,points"), transform: ReceiverAllowance.rights)
  var may: [ReceiverRight] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most time that it may give in a day, by grants and answers together.", valueName: "time"),
    transform: ReceiverAllowance.minutes)
  var atMost: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The most points that it may give in a day.", valueName: "points"))
  var atMostPoints: Int?

  mutating func validate() throws {
    try ReceiverAllowance.check(may, atMost: atMost)
    if may.contains(.points), atMostPoints == nil {
      throw ValidationError("Say how many points it may give in a day, such as --at-most-points 50.")
    }
    if !may.contains(.points), atMostPoints != nil {
      throw ValidationError("It may give no points: give --may points as well.")
    }
    if let points = atMostPoints, !(1...1_000_000).contains(points) {
      throw ValidationError("The points for a day are 1 to 1,000,000, such as 50.")
    }
  }

  var allowed: ReceiverAllowance {
    ReceiverAllowance(rights: may, mostMinutes: atMost ?? 0, mostPoints: atMostPoints ?? 0)
  }
}

extension ReceiverAllowance {
  /// Checks that a receiver which may give time has a bound for it, and no other one has.
  fileprivate static func check(_ rights: [ReceiverRight], atMost: Int?) throws {
    let givesTime = rights.contains(.answer) || rights.contains(.grant)
    if givesTime, atMost == nil {
      throw ValidationError("Say how much time it may give in a day, such as --at-most 60m.")
    }
    if !givesTime, atMost != nil { throw ValidationError("It may give no time: give --may answer or grant as well.") }
  }

  @Sendable fileprivate static func rights(_ text: String) throws -> [ReceiverRight] {
    try text.split(separator: ",").map { word in
      guard let right = ReceiverRight(rawValue: word.trimmingCharacters(in: .whitespaces).lowercased()) else {
        throw ValidationError(
          "A phone with ntfy takes --may answer alone, a webhook takes none, and mqtt takes "
            + "--may answer,grant,lock,points.")
      }
      return right
    }
  }

  @Sendable fileprivate static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...1_440).contains(minutes) else {
      throw ValidationError("The time for a day is 1 minute to 24 hours, such as 60m or 2h.")
    }
    return minutes
  }
}
