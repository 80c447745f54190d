import LatchkeyModel
import NIOCore

/// Closes a connection that has not proved who it is in time, and one whose bytes are no frames.
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
    // The peer's fault whatever it is: strangers get silence, and whoever reads frames sees the end of them.
    context.close(promise: nil)
  }
}
