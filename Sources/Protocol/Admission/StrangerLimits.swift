import LatchkeyModel

/// Places for connections that have not proved anything yet. Spec: Protocol/04-session.md §1.
public struct StrangerLimits: Sendable {
  private var places: [String: Int] = [:]
  /// Strangers present.
  public private(set) var count = 0

  public init() {}

  /// Take a place for a connection from `source`, an address without its port; false when there is none.
  public mutating func admit(_ source: String) -> Bool {
    guard count < Limits.strangers, places[source, default: 0] < Limits.strangersPerSource else { return false }
    places[source, default: 0] += 1
    count += 1
    return true
  }

  /// Give a place back, once for each that was taken.
  public mutating func release(_ source: String) {
    guard let taken = places[source] else { return }
    places[source] = taken > 1 ? taken - 1 : nil
    count -= 1
  }
}
