/// A reading of a hybrid logical clock with its author, by which edits are ordered.
public struct HybridTimestamp: Hashable, Sendable, Codable, Comparable {
  /// The time in Unix milliseconds, never less than in any earlier reading.
  public var wall: Int64
  /// A number that distinguishes readings in the same millisecond.
  public var counter: UInt32
  /// The device whose clock was read.
  public var author: DeviceID

  /// The upper bound of `wall`: the year 10889, which 48 bits can hold.
  public static let wallLimit: Int64 = 1 << 48
  public static let walls: Range<Int64> = 0..<wallLimit

  /// Returns whether another device's reading may advance this device's clock.
  ///
  /// It may not if it is more than a day ahead of this machine's wall clock.
  ///
  /// Both values are in Unix milliseconds.
  public static func mayWitness(_ reading: Int64, at wall: Int64) -> Bool {
    walls.contains(reading) && reading - Limits.aheadMilliseconds <= wall
  }

  /// The time of a value that was never set, which is before every reading.
  public static let never: HybridTimestamp = {
    guard let nobody = DeviceID(bytes: [UInt8](repeating: 0, count: DeviceID.size)) else {
      preconditionFailure("a device ID of zeros")
    }
    return HybridTimestamp(wall: 0, counter: 0, author: nobody)
  }()

  public init(wall: Int64, counter: UInt32, author: DeviceID) {
    (self.wall, self.counter, self.author) = (wall, counter, author)
  }

  public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
    if left.wall != right.wall { return left.wall < right.wall }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.author < right.author
  }

  /// Returns the author's next reading after `last`, at the wall time in Unix milliseconds.
  public static func next(after last: HybridTimestamp?, wall: Int64, author: DeviceID) -> HybridTimestamp {
    guard let last, last.wall >= wall else { return HybridTimestamp(wall: wall, counter: 0, author: author) }
    guard last.counter == .max else {
      return HybridTimestamp(wall: last.wall, counter: last.counter + 1, author: author)
    }
    // Values above the limit are refused on receipt. If one is here nevertheless, it must not cause
    // a trap.
    return HybridTimestamp(wall: last.wall == .max ? .max : last.wall + 1, counter: 0, author: author)
  }

  /// Returns this reading, or the author's next one after `known` if that is not earlier.
  ///
  /// The clock of a machine that was restored to an older state may be behind what the machine said
  /// before.
  public func after(_ known: HybridTimestamp?) -> HybridTimestamp {
    guard let known, known >= self else { return self }
    return Self.next(after: known, wall: wall, author: author)
  }
}
