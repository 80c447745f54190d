import LatchkeyWire
import NIOCore

/// A connection's reading half: its frames as they arrive. Reading no further holds the sender up.
// The iterator is not Sendable; there is one reader at a time, handed from task to task with a connection.
public final class FrameReader: @unchecked Sendable {
  private var iterator: NIOAsyncChannelInboundStream<FramePiece>.AsyncIterator

  init(_ iterator: NIOAsyncChannelInboundStream<FramePiece>.AsyncIterator) {
    self.iterator = iterator
  }

  /// The next frame; nil when the connection has ended in whatever way. One caller at a time.
  public func next() async -> [UInt8]? {
    while true {
      do {
        switch try await iterator.next() {
        case .frame(let frame): return frame
        case .preamble: continue
        case nil: return nil
        }
      } catch { return nil }
    }
  }
}
