import NIOCore
import Testing

@testable import LatchkeyTransport

/// Tests of the buffers into which connections read.
@Suite struct ReceiveBuffersTests {
  /// The kernel's side of a read: fills as much of a buffer as there is data.
  private func read(_ pool: inout NIOPooledRecvBufferAllocator, _ bytes: Int) -> Int {
    let (_, count) = pool.buffer(allocator: ByteBufferAllocator()) { buffer in
      let count = min(bytes, buffer.writableBytes)
      buffer.writeRepeatingByte(0, count: count)
      return count
    }
    pool.record(actualReadBytes: count)
    return count
  }

  @Test("Full reads are followed by larger ones, and two that would have fitted by a smaller one")
  func sizes() {
    var pool = NIOPooledRecvBufferAllocator(
      capacity: Int(ReceiveBuffers.readsAtATime), recvAllocator: ReceiveBuffers())
    #expect([90_000, 90_000, 90_000, 90_000].map { read(&pool, $0) } == [512, 4_096, 65_536, 65_536])
    #expect([100, 90_000, 100, 100].map { read(&pool, $0) } == [100, 65_536, 100, 100])
    #expect([90_000, 100, 100, 90_000].map { read(&pool, $0) } == [4_096, 100, 100, 4_096])
    #expect([100, 100, 100, 100, 90_000].map { read(&pool, $0) } == [100, 100, 100, 100, 512])
  }

  @Test("What NIO keeps for an open connection stays small, however much was read")
  func kept() {
    var pool = NIOPooledRecvBufferAllocator(
      capacity: Int(ReceiveBuffers.readsAtATime), recvAllocator: ReceiveBuffers())
    for bytes in [100, 90_000, 90_000, 90_000, 90_000, 90_000, 100, 100, 100, 100] { _ = read(&pool, bytes) }
    let (kept, _) = pool.buffer(allocator: ByteBufferAllocator()) { _ in }
    #expect(pool.count == 1 && kept.capacity == 512)
  }
}
