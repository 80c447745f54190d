/// The record of which bridge serves which child, from the broker's messages.
///
/// Each bridge publishes `online`, and its will publishes `offline`. A bridge may claim a child
/// whose claim names no bridge that is online. The broker puts claims in one order, and the last
/// one counts. So two bridges that claim a child at once agree. Anyone may write to a broker's
/// topics. Therefore a bridge asks about another bridge's claim, and asks again from time to time.
///
/// Spec: Protocol/14-bridge.md §4.
struct ClaimBook: Sendable {
  /// The bridge that serves a child.
  enum Standing: Hashable, Sendable {
    case own
    case free
    /// Another bridge.
    case other(String)
  }

  /// The largest number of children, and of bridges, that are kept.
  ///
  /// A broker can have more topics than fit.
  private static let most = 4_096

  let own: String
  private var claims: [String: String] = [:]
  private var online: Set<String> = []
  /// The last question about another bridge's claim, by child.
  private var questions: [String: Question] = [:]
  private var lastQuestion = 0

  private struct Question {
    var number: Int
    /// The bridge that was asked.
    var bridge: String
    var isAnswered = false
  }

  init(own: String) { self.own = own }

  /// Notes a claim.
  ///
  /// If it has just been published (`isLive`), it is also the answer of a bridge that was asked.
  mutating func note(claim bridge: String, of child: String, isLive: Bool = false) {
    if questions[child]?.bridge != bridge {
      questions[child] = nil
    } else if isLive {
      questions[child]?.isAnswered = true
    }
    guard HomeTopics.isName(bridge) else {
      claims[child] = nil
      return
    }
    if claims.count < Self.most || claims[child] != nil { claims[child] = bridge }
  }

  mutating func note(_ bridge: String, isOnline: Bool) {
    if !isOnline { online.remove(bridge) } else if online.count < Self.most { online.insert(bridge) }
  }

  func standing(of child: String) -> Standing {
    guard let bridge = claims[child] else { return .free }
    if bridge == own { return .own }
    return online.contains(bridge) ? .other(bridge) : .free
  }

  /// Returns the number of a new question about a child's claim.
  ///
  /// It is `nil` if no other bridge has claimed the child, or if that bridge was asked already.
  mutating func question(about child: String) -> Int? {
    guard case .other(let bridge) = standing(of: child), questions[child]?.bridge != bridge else { return nil }
    lastQuestion += 1
    questions[child] = Question(number: lastQuestion, bridge: bridge)
    return lastQuestion
  }

  /// Returns whether the bridge that has claimed a child has answered the last question.
  func isAnswered(_ child: String) -> Bool { questions[child]?.isAnswered == true }

  /// Counts a bridge as gone if it has not answered a question.
  ///
  /// Returns whether it has not.
  mutating func giveUp(_ number: Int, about child: String) -> Bool {
    guard let question = questions[child], question.number == number, !question.isAnswered else { return false }
    questions[child] = nil
    online.remove(question.bridge)
    return true
  }

  /// Removes a question, so that it can be asked again.
  ///
  /// Returns whether it was the last one.
  mutating func expire(_ number: Int, about child: String) -> Bool {
    guard questions[child]?.number == number else { return false }
    questions[child] = nil
    return true
  }

  /// Returns whether another bridge has claimed a child, online or not.
  func isTaken(_ child: String) -> Bool { claims[child].map { $0 != own } ?? false }

  /// A Boolean value that indicates whether another bridge is online.
  var hasOthers: Bool { online.contains { $0 != own } }

  /// The children that this bridge has claimed.
  var owned: Set<String> { Set(claims.filter { $0.value == own }.keys) }
}
