import LatchkeyModel
import LatchkeyProtocol
import NIOCore
import Synchronization

/// The writing half of a connection.
///
/// It can be used from any thread; frames are sent in the order of the calls.
public final class FrameConnection: Sendable {
  /// The address of the other end, such as `192.168.1.5:41234` or `[fe80::1%2]:41234`.
  public let remote: String
  /// The other end's address without its port.
  public let remoteHost: String
  /// This end's address without its port.
  public let localHost: String

  private let channel: any Channel
  private let limit: FrameLimit
  private let unsent = Atomic(0)
  private let handedOver = Atomic(false)
  private let closing = Atomic(false)
  private let drained: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
  /// The number of unsent bytes below which the connection has room for more.
  private static let lowWater = 256 << 10
  /// The memory that a frame takes besides its bytes until the kernel has accepted it, in bytes.
  private static let overhead = 512
  /// The time that the other side has to receive the last frames and to close.
  private static let lastWords = TimeAmount.seconds(2)

  init(channel: any Channel, limit: FrameLimit) {
    (self.channel, self.limit) = (channel, limit)
    let host = channel.remoteAddress?.ipAddress ?? "unknown"
    remoteHost = host
    localHost = channel.localAddress?.ipAddress ?? "unknown"
    remote = "\(SocketEndpoint(host: host, port: UInt16(clamping: channel.remoteAddress?.port ?? 0)))"
  }

  /// The number of bytes that the kernel has not accepted yet, and 512 for each frame among them.
  public var unsentBytes: Int { unsent.load(ordering: .relaxed) }

  /// A Boolean value that indicates whether more may be sent without accumulating in memory.
  public var isWritable: Bool { unsentBytes < Self.lowWater }

  /// Sets a handler that is called each time the number of unsent bytes falls below the low-water
  /// mark.
  public func onDrained(_ handler: @escaping @Sendable () -> Void) { drained.withLock { $0 = handler } }

  /// Lifts the limits for unauthenticated connections, since the other side has proved its
  /// identity.
  public func authenticated() { limit.lift() }

  /// Sends a frame: a big-endian length of 2 bytes, and up to 65,535 bytes of content.
  public func send(_ frame: [UInt8]) {
    precondition((1...Limits.frameBytes).contains(frame.count), "a frame has 1 to 65,535 bytes")
    var buffer = channel.allocator.buffer(capacity: frame.count + 2)
    buffer.writeInteger(UInt16(frame.count))
    buffer.writeBytes(frame)
    write(buffer)
  }

  func send(_ preamble: Preamble) { write(channel.allocator.buffer(bytes: preamble.bytes)) }

  /// Closes the connection once everything sent so far has left, or after two seconds if the other
  /// side does not read.
  public func close() {
    let (channel, isClosing) = (channel, closing.exchange(true, ordering: .relaxed))
    guard !isClosing else { return }
    let timeout = channel.eventLoop.scheduleTask(in: Self.lastWords) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in timeout.cancel() }
    // An empty write is complete after all those before it.
    channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
      channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
    }
  }

  var isClosing: Bool { closing.load(ordering: .relaxed) }

  /// Closes the connection immediately and discards unsent frames.
  public func abort() { channel.close(promise: nil) }

  /// A Boolean value that indicates whether the connection stays open when the function that
  /// received it returns.
  var isHandedOver: Bool { handedOver.load(ordering: .acquiring) }

  /// Keeps the connection open when the function that received it returns; call `end` later.
  public func handOver() { handedOver.store(true, ordering: .releasing) }

  /// Closes the connection at once, discards what the kernel has not accepted, and waits for the
  /// end.
  public func end() async {
    abort()
    try? await channel.closeFuture.get()
  }

  private func write(_ buffer: ByteBuffer) {
    let size = buffer.readableBytes + Self.overhead
    unsent.add(size, ordering: .relaxed)
    channel.writeAndFlush(buffer).whenComplete { [weak self] _ in
      guard let self else { return }
      let before = self.unsent.subtract(size, ordering: .relaxed).oldValue
      if before >= Self.lowWater, before - size < Self.lowWater { self.drained.withLock { $0 }?() }
    }
  }
}

/// The reading half of a connection, which returns frames as they arrive.
///
/// A sender is blocked while frames are not read.
public final class FrameReader: Sendable {
  private struct State {
    /// Usually empty, because a task waits for the next piece.
    var pieces = CircularBuffer<FramePiece>(initialCapacity: 2)
    var waiting: CheckedContinuation<FramePiece?, Never>?
    var isEnded = false
    /// A Boolean value that indicates whether the channel wants to read and has to wait for room.
    var isHeldUp = false
    var arrived: UInt64 = 0
    var returned: UInt64 = 0

    /// Ends reading, and returns the call that waits.
    mutating func end() -> CheckedContinuation<FramePiece?, Never>? {
      isEnded = true
      return waiting.take()
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
    try channel.pipeline.syncOperations.addHandler(FrameReaderHandler(self), name: "reader")
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
  func drain() async { while await nextPiece() != nil {} }

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
      state.arrived += 1
      if state.waiting == nil { state.pieces.append(piece) } else { state.returned += 1 }
      return state.waiting.take()
    }
    waiting?.resume(returning: piece)
  }

  /// Records that no more pieces arrive; those that have arrived can still be read.
  fileprivate func ended() { state.withLock { $0.end() }?.resume(returning: nil) }

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

  func read(context: ChannelHandlerContext) { if reader.mayRead() { context.read() } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { reader.took(unwrapInboundIn(data)) }

  func channelInactive(context: ChannelHandlerContext) {
    reader.ended()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { reader.ended() }
}
