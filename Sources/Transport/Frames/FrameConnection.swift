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
    let port = channel.remoteAddress?.port ?? 0
    remote = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
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
