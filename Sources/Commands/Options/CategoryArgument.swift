import ArgumentParser
import LatchkeyModel

/// An application's category as an argument.
enum CategoryArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
  case learning
  case reward
  case neutral

  var category: AppCategory {
    switch self {
    case .learning: .learning
    case .reward: .reward
    case .neutral: .neutral
    }
  }
}
