import NIOCore

/// What every connection's pipeline holds: framing, a stranger's time-out, and whoever reads its frames.
enum FramePipeline {
  /// Completes a new channel's pipeline; on its event loop.
  static func install(on channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool) throws -> FrameReader {
    try channel.pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(
        FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble), maximumBufferSize: 128 << 10),
      StrangerTimeoutHandler(limit: limit),
    ])
    return try FrameReader(channel)
  }
}
