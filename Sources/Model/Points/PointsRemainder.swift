/// What is left over below one milli-point, carried from one stretch of use to the next.
///
/// One is kept for each child, application, category and family day, and starts at nothing. It does not depend on a
/// rate, so a rate may change between two stretches. For what use earns it is what the child has still to get; for what
/// use costs it is what the child has paid ahead.
public struct PointsRemainder: Hashable, Sendable {
  /// How many parts one milli-point has: the milliseconds of an hour, as rates are per hour.
  public static let partsPerMilliPoint: Int64 = 3_600_000

  /// Parts of a milli-point, 0 to 3,599,999.
  public internal(set) var parts: Int64

  /// Start a day with nothing left over.
  public init() {
    parts = 0
  }

  /// Take up a remainder that was stored.
  ///
  /// - Parameter parts: Parts of a milli-point, 0 to 3,599,999; nil is returned for any other number.
  public init?(parts: Int64) {
    guard (0..<Self.partsPerMilliPoint).contains(parts) else { return nil }
    self.parts = parts
  }
}
