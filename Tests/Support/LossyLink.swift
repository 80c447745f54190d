/// One direction of a connection in memory: what was sent arrives in order, or, once it breaks, not at all.
public struct LossyLink<Frame: Sendable>: Sendable {
  private var frames: [Frame] = []
  /// Whether nothing more gets in.
  public private(set) var isBroken = false

  /// Begin whole and empty.
  public init() {}

  /// How many frames are on their way.
  public var count: Int { frames.count }

  /// Send a frame; it is lost without a word when the link is broken.
  public mutating func send(_ frame: Frame) {
    if !isBroken { frames.append(frame) }
  }

  /// Take what arrives next; nil when nothing is on its way.
  public mutating func receive() -> Frame? { frames.isEmpty ? nil : frames.removeFirst() }

  /// Break: of what is on its way, only the first `arriving` frames get through.
  public mutating func cut(arriving: Int) {
    isBroken = true
    frames.removeLast(max(0, frames.count - arriving))
  }
}
