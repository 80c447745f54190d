import NIOCore

/// What every connection's pipeline holds: framing and a stranger's time-out, nothing else.
enum FramePipeline {
  static func install(
    on channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool
  ) throws -> NIOAsyncChannel<FramePiece, ByteBuffer> {
    try channel.pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(
        FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble), maximumBufferSize: 128 << 10),
      StrangerTimeoutHandler(limit: limit),
    ])
    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
  }
}
