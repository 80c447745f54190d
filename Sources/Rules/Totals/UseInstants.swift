import LatchkeyModel

/// The instants of a child's use: of everything together, of each category, and of each
/// application.
///
/// Every total of use is added up here. An instant counts once in each of the three, on however
/// many accounts and machines and for however many programs it was use.
///
/// Spec: Protocol/11-rules.md §8.
struct UseInstants: Sendable {
  /// Amounts of use in milliseconds.
  struct Amounts: Hashable, Sendable {
    var screen: Int64
    var category: Int64
    var app: Int64
  }

  /// A Boolean value that indicates whether learning is no screen time.
  let isLearningFree: Bool
  private var screen = SpanSet()
  private var categories = [SpanSet](repeating: SpanSet(), count: AppCategory.allCases.count)
  private var apps: [SpanSet] = []

  init(isLearningFree: Bool = false) { self.isLearningFree = isLearningFree }

  /// Adds a range of instants, and returns what of it was not there before.
  ///
  /// `app` numbers the caller's applications from 0; `nil` if only the category is known.
  mutating func add(_ range: Range<Int64>, _ category: AppCategory, app: Int?) -> Amounts {
    let inScreen = isLearningFree && category == .learning ? 0 : screen.insert(range)
    let inCategory = categories[category.number].insert(range)
    guard let app else { return Amounts(screen: inScreen, category: inCategory, app: 0) }
    while apps.count <= app { apps.append(SpanSet()) }
    return Amounts(screen: inScreen, category: inCategory, app: apps[app].insert(range))
  }

  /// Adds a range of instants of screen time alone, of no application, and returns how much of it
  /// was not there before.
  mutating func add(_ range: Range<Int64>) -> Int64 { screen.insert(range) }
}

extension AppCategory {
  /// The place of the category among all of them.
  var number: Int {
    switch self {
    case .learning: 0
    case .reward: 1
    case .neutral: 2
    }
  }
}
