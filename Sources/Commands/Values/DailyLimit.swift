import ArgumentParser

/// What --daily-limit takes: minutes a day, or `none`.
enum DailyLimit: Hashable, Sendable, ExpressibleByArgument {
  case minutes(Int)
  case none

  init?(argument: String) {
    if argument.lowercased() == "none" {
      self = .none
    } else if let minutes = Int(argument), (0...1_440).contains(minutes) {
      self = .minutes(minutes)
    } else {
      return nil
    }
  }

  /// As the local API takes it: a negative number takes the limit away.
  var requested: Int {
    switch self {
    case .minutes(let minutes): minutes
    case .none: -1
    }
  }
}
