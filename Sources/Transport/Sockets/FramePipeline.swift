import NIOCore

/// What every connection's pipeline holds: framing and a stranger's time-out, nothing else.
enum FramePipeline {
  static func install(
    on channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool
  ) throws -> NIOAsyncChannel<FramePiece, ByteBuffer> {
    try prepare(channel, limit: limit, awaitsPreamble: awaitsPreamble)
    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
  }

  /// All but what reads from it, on a channel that does not read by itself yet.
  static func prepare(_ channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool) throws {
    try channel.pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(
        FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble), maximumBufferSize: 128 << 10),
      StrangerTimeoutHandler(limit: limit),
    ])
  }

  /// Let a channel that was prepared be read.
  static func begin(
    _ channel: any Channel
  ) -> EventLoopFuture<NIOAsyncChannel<FramePiece, ByteBuffer>> {
    channel.eventLoop.submit {
      let wrapped = try NIOAsyncChannel<FramePiece, ByteBuffer>(wrappingChannelSynchronously: channel)
      try channel.syncOptions?.setOption(.autoRead, value: true)
      return wrapped
    }
  }
}
