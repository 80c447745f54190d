/// One direction of a connection.
struct Pump: Sendable {
  let from: ByteStream
  let to: ByteStream
  let direction: Direction
  let recording: Int
  let isPairing: Bool
  private let limit: Int?
  private var sent = 0

  init(
    from: ByteStream, to: ByteStream, _ direction: Direction, recording: Int,
    cut: (direction: Direction, bytes: Int)?, isPairing: Bool
  ) {
    self.from = from
    self.to = to
    self.direction = direction
    self.recording = recording
    self.isPairing = isPairing
    limit = cut.flatMap { isPairing && $0.direction == direction ? $0.bytes : nil }
  }

  /// Forwards the bytes that may pass; returns `false` at the end.
  mutating func forward(_ bytes: [UInt8]) -> Bool {
    guard let limit, sent + bytes.count >= limit else {
      to.write(bytes)
      sent += bytes.count
      return true
    }
    to.write(Array(bytes.prefix(max(0, limit - sent))))
    cutOff()
    return false
  }

  func cutOff() {
    to.end()
    from.end()
  }
}
