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
