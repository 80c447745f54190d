import LatchkeyModel
import NIOCore

/// A handler that closes a connection if it is not authenticated in time or its bytes are not
/// frames.
///
/// Spec: Protocol/04-session.md §1.
final class StrangerTimeoutHandler: ChannelInboundHandler {
  typealias InboundIn = FramePiece
  typealias InboundOut = FramePiece

  private let limit: FrameLimit
  private var timeout: Scheduled<Void>?

  init(limit: FrameLimit) {
    self.limit = limit
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let limit = limit
    let channel = context.channel
    timeout = context.eventLoop.scheduleTask(in: .milliseconds(Limits.strangerMilliseconds)) {
      if limit.holds { channel.close(promise: nil) }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timeout?.cancel()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Any error is the peer's fault. Unauthenticated peers get no answer, and the reader of frames
    // sees their end.
    context.close(promise: nil)
  }
}
