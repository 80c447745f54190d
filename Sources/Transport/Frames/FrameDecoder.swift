import LatchkeyModel
import LatchkeyProtocol
import NIOCore
import Synchronization

/// The handlers in the pipeline of every connection: framing, the time-out before authentication,
/// and the reader of frames.
enum FramePipeline {
  /// Completes the pipeline of a new channel; call this on its event loop.
  static func install(on channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool) throws -> FrameReader {
    let decoder = FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble)
    // NIO would make a longer name for each, which takes memory of its own.
    try channel.pipeline.syncOperations.addHandler(
      ByteToMessageHandler(decoder, maximumBufferSize: 128 << 10), name: "decoder")
    try channel.pipeline.syncOperations.addHandler(StrangerTimeoutHandler(limit: limit), name: "timeout")
    return try FrameReader(channel)
  }
}

/// The decoder of a connection's bytes: a preamble, on the called side, and frames.
///
/// It limits unauthenticated senders to 4 KiB.
///
/// Spec: Protocol/04-session.md §1, §3.
package struct FrameDecoder: ByteToMessageDecoder {
  package typealias InboundOut = FramePiece

  private let limit: FrameLimit
  private var awaitsPreamble: Bool
  private var strangerBytes = 0

  package init(limit: FrameLimit, awaitsPreamble: Bool) { (self.limit, self.awaitsPreamble) = (limit, awaitsPreamble) }

  package mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    if awaitsPreamble {
      guard let bytes = buffer.readBytes(length: Preamble.size) else { return .needMoreData }
      awaitsPreamble = false
      strangerBytes += Preamble.size
      context.fireChannelRead(wrapInboundOut(.preamble(try Preamble(bytes))))
      return .continue
    }
    guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt16.self) else { return .needMoreData }
    guard length > 0 else { throw FrameError.empty }
    // An unauthenticated sender that announces too large a frame is refused before it sends it.
    if limit.holds, strangerBytes + 2 + Int(length) > Limits.strangerBytes {
      throw FrameError.tooLong(bytes: Int(length), limit: Limits.strangerBytes)
    }
    guard buffer.readableBytes >= 2 + Int(length) else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: 2)
    guard let frame = buffer.readBytes(length: Int(length)) else { return .needMoreData }
    if limit.holds { strangerBytes += 2 + Int(length) }
    context.fireChannelRead(wrapInboundOut(.frame(frame)))
    return .continue
  }

  package mutating func decodeLast(
    context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> DecodingState {
    // An incomplete frame at the end means that the connection broke off.
    while try decode(context: context, buffer: &buffer) == .continue {}
    buffer.clear()
    return .needMoreData
  }
}

/// A part of a connection's bytes that the decoder has found.
package enum FramePiece: Sendable {
  case preamble(Preamble)
  case frame([UInt8])
}

/// The limits on a connection until the other side is authenticated.
///
/// They are lifted once, after the handshake.
///
/// Spec: Protocol/04-session.md §1.
package final class FrameLimit: Sendable {
  private let isLifted = Atomic(false)

  package init() {}

  package var holds: Bool { !isLifted.load(ordering: .acquiring) }

  package func lift() { isLifted.store(true, ordering: .releasing) }
}

/// A handler that closes a connection if it is not authenticated in time or its bytes are not
/// frames.
///
/// Spec: Protocol/04-session.md §1.
private final class StrangerTimeoutHandler: ChannelInboundHandler {
  typealias InboundIn = FramePiece
  typealias InboundOut = FramePiece

  private let limit: FrameLimit
  private var timeout: Scheduled<Void>?

  init(limit: FrameLimit) { self.limit = limit }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    timeout = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Limits.strangerMilliseconds)) {
      self.timeout = nil
      if self.limit.holds { channel.close(promise: nil) }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Any error is the peer's fault. Unauthenticated peers get no answer, and the reader of frames
    // sees their end.
    context.close(promise: nil)
  }
}
