/// A hybrid logical clock's reading with its author: orders edits without trusting any wall clock to be right.
public struct HybridTimestamp: Hashable, Sendable, Codable, Comparable {
  /// Unix milliseconds, never less than any reading seen before.
  public var wall: Int64
  /// Tells readings of one millisecond apart.
  public var counter: UInt32
  public var author: DeviceID

  /// Walls are below this: the year 10889, which 48 bits hold.
  public static let wallLimit: Int64 = 1 << 48
  /// The walls that are valid.
  public static let walls: Range<Int64> = 0..<wallLimit

  /// A Boolean value that indicates whether another device's reading may set this device's clock ahead: not if it is more
  /// than a day ahead of this machine's wall clock.
  ///
  /// - Parameters:
  ///   - reading: Unix milliseconds.
  ///   - wall: Unix milliseconds, by this machine's wall clock.
  public static func mayWitness(_ reading: Int64, at wall: Int64) -> Bool {
    walls.contains(reading) && reading - Limits.aheadMilliseconds <= wall
  }

  public init(wall: Int64, counter: UInt32, author: DeviceID) {
    self.wall = wall
    self.counter = counter
    self.author = author
  }

  public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
    if left.wall != right.wall { return left.wall < right.wall }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.author < right.author
  }

  /// The next reading of `author`'s clock after `last`, at wall time `wall` (Unix milliseconds).
  public static func next(after last: HybridTimestamp?, wall: Int64, author: DeviceID) -> HybridTimestamp {
    guard let last, last.wall >= wall else { return HybridTimestamp(wall: wall, counter: 0, author: author) }
    guard last.counter == .max else {
      return HybridTimestamp(wall: last.wall, counter: last.counter + 1, author: author)
    }
    // What is over the limit is refused where it comes in; should it be here nevertheless, it is no reason to trap.
    return HybridTimestamp(wall: last.wall == .max ? .max : last.wall + 1, counter: 0, author: author)
  }
}
