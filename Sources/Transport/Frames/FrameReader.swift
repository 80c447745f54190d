import LatchkeyProtocol
import NIOCore
import Synchronization

/// The reading half of a connection, which returns frames as they arrive.
///
/// A sender is blocked while frames are not read.
public final class FrameReader: Sendable {
  private struct State {
    var pieces = CircularBuffer<FramePiece>()
    var waiting: CheckedContinuation<FramePiece?, Never>?
    var isEnded = false
    /// A Boolean value that indicates whether the channel wants to read and has to wait for room.
    var isHeldUp = false
    var arrived: UInt64 = 0
    var returned: UInt64 = 0

    /// Ends reading, and returns the call that waits.
    mutating func end() -> CheckedContinuation<FramePiece?, Never>? {
      isEnded = true
      defer { waiting = nil }
      return waiting
    }
  }

  /// The number of waiting pieces at which the channel stops reading, and the number at which it
  /// continues.
  private static let (highWater, lowWater) = (10, 2)

  private let channel: any Channel
  private let state = Mutex(State())

  /// Creates a reader at the end of a channel's pipeline; call this on its event loop.
  init(_ channel: any Channel) throws {
    self.channel = channel
    try channel.pipeline.syncOperations.addHandler(FrameReaderHandler(self))
  }

  /// Returns the next frame; `nil` if the connection has ended for any reason or the task was
  /// cancelled.
  ///
  /// Only one task may call this at a time.
  public func next() async -> [UInt8]? {
    while let piece = await nextPiece() {
      if case .frame(let frame) = piece { return frame }
    }
    return nil
  }

  /// Reads the connection to its end and discards the data.
  func drain() async {
    while await nextPiece() != nil {}
  }

  var waitingPieces: Int { state.withLock { $0.pieces.count } }

  /// Stops reading; no further frame is returned.
  public func stop() { stop(unless: { _ in false }) }

  /// The number of pieces that have been returned to callers, which is the argument of
  /// `stop(unlessPast:)`.
  public var position: UInt64 { state.withLock { $0.returned } }

  /// Stops reading, unless more pieces have arrived than had been returned at an earlier
  /// `position`.
  ///
  /// If a frame arrives just when its caller's time is up, the caller gets either the frame and can
  /// continue, or the end of the connection.
  public func stop(unlessPast position: UInt64) { stop(unless: { $0.arrived > position }) }

  private func stop(unless isKept: (State) -> Bool) {
    let waiting: CheckedContinuation<FramePiece?, Never>? = state.withLock { state in
      guard !isKept(state) else { return nil }
      state.pieces.removeAll()
      return state.end()
    }
    waiting?.resume(returning: nil)
  }

  /// Returns the next piece of the connection; `nil` if there are no more.
  func nextPiece() async -> FramePiece? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (piece, isDue, mayRead) = state.withLock { state in
          let piece = state.pieces.popFirst()
          if piece != nil { state.returned += 1 }
          let mayRead = state.isHeldUp && state.pieces.count <= Self.lowWater
          if mayRead { state.isHeldUp = false }
          if piece == nil, !state.isEnded {
            state.waiting = continuation
            return (piece, false, mayRead)
          }
          return (piece, true, mayRead)
        }
        if mayRead { channel.read() }
        if isDue { continuation.resume(returning: piece) }
      }
    } onCancel: {
      stop()
    }
  }

  fileprivate func took(_ piece: FramePiece) {
    let waiting: CheckedContinuation<FramePiece?, Never>? = state.withLock { state in
      guard !state.isEnded else { return nil }
      defer { state.waiting = nil }
      state.arrived += 1
      if state.waiting == nil { state.pieces.append(piece) } else { state.returned += 1 }
      return state.waiting
    }
    waiting?.resume(returning: piece)
  }

  /// Records that no more pieces arrive; those that have arrived can still be read.
  fileprivate func ended() {
    let waiting = state.withLock { $0.end() }
    waiting?.resume(returning: nil)
  }

  /// Returns whether the channel may read now.
  ///
  /// If not, the channel is told to read once there is room.
  fileprivate func mayRead() -> Bool {
    state.withLock { state in
      state.isHeldUp = !state.isEnded && state.pieces.count >= Self.highWater
      return !state.isHeldUp
    }
  }
}

private final class FrameReaderHandler: ChannelDuplexHandler {
  typealias InboundIn = FramePiece
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let reader: FrameReader

  init(_ reader: FrameReader) { self.reader = reader }

  func read(context: ChannelHandlerContext) {
    if reader.mayRead() { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { reader.took(unwrapInboundIn(data)) }

  func channelInactive(context: ChannelHandlerContext) {
    reader.ended()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { reader.ended() }
}
