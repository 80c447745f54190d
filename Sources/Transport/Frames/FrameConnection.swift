import LatchkeyWire
import NIOCore
import Synchronization

/// One connection's writing half, safe to use from anywhere: frames leave in the order of the calls.
public final class FrameConnection: Sendable {
  /// The other end, such as `192.168.1.5:41234` or `[fe80::1%2]:41234`.
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
  /// Below this many unsent bytes the connection takes more.
  private static let lowWater = 256 << 10
  /// The time that the other side has to take the last words and to close.
  private static let lastWords = TimeAmount.seconds(2)

  init(channel: any Channel, limit: FrameLimit) {
    self.channel = channel
    self.limit = limit
    let host = channel.remoteAddress?.ipAddress ?? "unknown"
    remoteHost = host
    localHost = channel.localAddress?.ipAddress ?? "unknown"
    let port = channel.remoteAddress?.port ?? 0
    remote = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Bytes handed over and not yet taken by the kernel.
  public var unsentBytes: Int { unsent.load(ordering: .relaxed) }

  /// Whether more may be sent without piling up here.
  public var isWritable: Bool { unsentBytes < Self.lowWater }

  /// Call `handler` each time that unsent bytes fall below the low-water mark.
  public func onDrained(_ handler: @escaping @Sendable () -> Void) {
    drained.withLock { $0 = handler }
  }

  /// The other side has proved who it is: its limits as a stranger are lifted.
  public func authenticated() {
    limit.lift()
  }

  /// Send a frame: 2 bytes of length, big-endian, and up to 65,535 bytes.
  public func send(_ frame: [UInt8]) {
    precondition((1...65_535).contains(frame.count), "a frame has 1 to 65,535 bytes")
    var buffer = channel.allocator.buffer(capacity: frame.count + 2)
    buffer.writeInteger(UInt16(frame.count))
    buffer.writeBytes(frame)
    write(buffer)
  }

  /// Send the first bytes of a connection that we dialled.
  func send(_ preamble: Preamble) {
    write(channel.allocator.buffer(bytes: preamble.bytes))
  }

  /// Sends everything that waits, says that no more follows, and closes once the other side has closed, or after
  /// two seconds. Spec: Protocol/04-session.md §7.
  ///
  /// Until then the connection has to be read: closing a socket with bytes unread makes TCP forget what was sent last.
  public func close() {
    let (channel, isClosing) = (channel, closing.exchange(true, ordering: .relaxed))
    guard !isClosing else { return }
    let timeout = channel.eventLoop.scheduleTask(in: Self.lastWords) {
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in timeout.cancel() }
    // An empty write is complete after all those before it.
    channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
      channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
    }
  }

  /// A Boolean value that indicates whether `close` was called.
  var isClosing: Bool { closing.load(ordering: .relaxed) }

  /// Close at once, whatever is unsent.
  public func abort() {
    channel.close(promise: nil)
  }

  /// A Boolean value that indicates whether the connection stays open when the function that was given it returns.
  var isHandedOver: Bool { handedOver.load(ordering: .acquiring) }

  /// Keeps the connection open when the function that was given it returns. It has to be ended with `end` later.
  public func handOver() {
    handedOver.store(true, ordering: .releasing)
  }

  /// Closes at once, whatever the kernel has not taken, and waits for that.
  public func end() async {
    abort()
    try? await channel.closeFuture.get()
  }

  private func write(_ buffer: ByteBuffer) {
    let size = buffer.readableBytes
    unsent.add(size, ordering: .relaxed)
    channel.writeAndFlush(buffer).whenComplete { [weak self] _ in
      guard let self else { return }
      let before = self.unsent.subtract(size, ordering: .relaxed).oldValue
      if before >= Self.lowWater, before - size < Self.lowWater { self.drained.withLock { $0 }?() }
    }
  }
}
