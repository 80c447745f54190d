import LatchkeyModel

/// The limits for connections whose peer is not authenticated yet.
///
/// Spec: Protocol/04-session.md §1.
public struct StrangerLimits: Sendable {
  private var places: [String: Int] = [:]
  /// The number of unauthenticated connections at present.
  public private(set) var count = 0

  public init() {}

  /// Admits a connection from `source`, an address without its port, and returns `false` if a limit
  /// is reached.
  public mutating func admit(_ source: String) -> Bool {
    guard count < Limits.strangers, places[source, default: 0] < Limits.strangersPerSource else { return false }
    places[source, default: 0] += 1
    count += 1
    return true
  }

  /// Releases the place of an admitted connection.
  ///
  /// Call this once for each.
  public mutating func release(_ source: String) {
    guard let taken = places[source] else { return }
    places[source] = taken > 1 ? taken - 1 : nil
    count -= 1
  }
}
