/// Which bridge serves which child, as the broker tells it.
///
/// Each bridge says that it is online, and its will says that it is not. A child whose claim names
/// no bridge that is online may be claimed. The broker puts claims in one order, and the last one
/// counts, so that two bridges which claim a child at once agree.
///
/// Spec: Protocol/14-bridge.md §4.
struct ClaimBook: Sendable {
  /// Who serves a child.
  enum Standing: Hashable, Sendable {
    case own
    case free
    /// Another bridge.
    case other(String)
  }

  /// The most children and bridges that are known: a broker can have more topics than fit.
  private static let most = 4_096

  let own: String
  private var claims: [String: String] = [:]
  private var online: Set<String> = []

  init(own: String) { self.own = own }

  mutating func note(claim bridge: String, of child: String) {
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

  /// The children that this bridge has claimed.
  var owned: Set<String> { Set(claims.filter { $0.value == own }.keys) }
}
