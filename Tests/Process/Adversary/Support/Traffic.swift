/// The direction of a frame in a pairing.
enum Direction: String, Sendable, CaseIterable {
  case toInviter = "to the inviter"
  case toJoiner = "to the joiner"
}

/// The action of a man in the middle on a frame.
enum Move: Sendable {
  case pass
  /// These bodies go on in its place.
  case send([[UInt8]])
  /// Back to its sender it goes.
  case reflect
  /// It and both connections are cut off.
  case cut
  /// From here on nothing passes in either direction, and nothing is closed.
  case silence
}

/// The data of one connection that a man in the middle saw.
struct Recording: Sendable {
  var preamble: [UInt8]
  /// The bodies of the frames, as their senders sent them.
  var frames: [(direction: Direction, body: [UInt8])] = []

  /// The bodies that went one way.
  func bodies(_ direction: Direction) -> [[UInt8]] { frames.filter { $0.direction == direction }.map(\.body) }

  /// All bytes that went one way, preamble and lengths included.
  func bytes(_ direction: Direction) -> [UInt8] {
    (direction == .toInviter ? preamble : []) + bodies(direction).flatMap { ByteStream.framed($0) }
  }
}
