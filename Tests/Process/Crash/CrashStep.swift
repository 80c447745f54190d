import LatchkeyTestSupport

/// A step of the plan by which two nodes are killed.
enum CrashStep: Sendable {
  /// One is killed at a moment of chance.
  case random(ofParent: Bool)
  /// One is killed at a moment of chance, and then dies at each of these instructions, the seventh
  /// time for `times` 7.
  case named(ofParent: Bool, [(point: String, times: Int)])
  /// The receiver of a stream has lost its place in it; the sender dies at an instruction of the
  /// new beginning.
  case restart(ofParent: Bool, point: String)

  /// The points at which a node may kill itself while items flow.
  static let points = [
    "store.uncommitted", "delivery.accepted", "delivery.sent", "delivery.gathered", "delivery.committed",
    "delivery.stored-sent", "delivery.stored-received", "delivery.forgotten",
  ]

  /// 40 deaths in an order of chance: at every instruction on both sides, and the rest at moments
  /// of chance.
  static func plan(_ random: inout SeededRandom) -> [CrashStep] {
    var steps: [CrashStep] = []
    for ofParent in [true, false] {
      let chain = points.shuffled(using: &random).map { (point: $0, times: 1 + random.below(4)) }
      steps += [.named(ofParent: ofParent, Array(chain[..<4])), .named(ofParent: ofParent, Array(chain[4...]))]
      for point in ["delivery.restart-due", "delivery.restart-made"] {
        steps.append(.restart(ofParent: ofParent, point: point))
      }
    }
    while steps.reduce(0, { $0 + $1.deaths }) < 40 { steps.append(.random(ofParent: random.once(in: 2))) }
    return steps.shuffled(using: &random)
  }

  /// The number of crashes in the step.
  var deaths: Int {
    switch self {
    case .random: 1
    case .named(_, let points): 1 + points.count
    case .restart: 3
    }
  }
}
