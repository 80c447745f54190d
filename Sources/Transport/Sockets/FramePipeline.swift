import NIOCore

/// The handlers in the pipeline of every connection: framing, the time-out before authentication,
/// and the reader of frames.
enum FramePipeline {
  /// Completes the pipeline of a new channel.
  ///
  /// Call this on its event loop.
  static func install(on channel: any Channel, limit: FrameLimit, awaitsPreamble: Bool) throws -> FrameReader {
    try channel.pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(
        FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble), maximumBufferSize: 128 << 10),
      StrangerTimeoutHandler(limit: limit),
    ])
    return try FrameReader(channel)
  }
}
