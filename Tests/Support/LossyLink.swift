/// One direction of a connection in memory.
///
/// Frames arrive in order, or not at all once it breaks.
public struct LossyLink<Frame: Sendable>: Sendable {
  private var frames: [Frame] = []
  public private(set) var isBroken = false

  public init() {}

  /// The number of frames in flight.
  public var count: Int { frames.count }

  /// Sends a frame, which is lost without an error if the link is broken.
  public mutating func send(_ frame: Frame) {
    if !isBroken { frames.append(frame) }
  }

  /// Returns the next frame that arrives; `nil` if none is in flight.
  public mutating func receive() -> Frame? { frames.isEmpty ? nil : frames.removeFirst() }

  /// Breaks the link; only the first `arriving` frames in flight still arrive.
  public mutating func cut(arriving: Int) {
    isBroken = true
    frames.removeLast(max(0, frames.count - arriving))
  }
}
