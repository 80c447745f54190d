/// The fraction below one milli-point that is carried from one stretch of use to the next.
///
/// There is one for each child, application, category and family day, and it starts at 0. It does not depend on a rate,
/// so the rate may change between two stretches. For earnings, it is what the child has yet to receive; for costs, what
/// the child has paid in advance.
public struct PointsRemainder: Hashable, Sendable {
  /// The number of parts of one milli-point: the milliseconds of an hour, since rates are per hour.
  public static let partsPerMilliPoint: Int64 = 3_600_000

  /// The number of parts of a milli-point, 0 to 3,599,999.
  public internal(set) var parts: Int64

  /// Creates the remainder of 0 with which a day starts.
  public init() {
    parts = 0
  }

  /// Creates a remainder from a stored number of parts, 0 to 3,599,999; `nil` for any other number.
  public init?(parts: Int64) {
    guard (0..<Self.partsPerMilliPoint).contains(parts) else { return nil }
    self.parts = parts
  }
}
