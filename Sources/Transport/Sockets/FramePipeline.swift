import NIOCore

/// The handlers in every connection's pipeline: framing, a stranger's time-out, and the reader of its frames.
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
