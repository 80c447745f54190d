import NIOCore

/// The choice of the buffer into which a connection reads.
///
/// NIO keeps the first buffer of a connection for as long as it is open, and its own allocators let
/// that buffer grow to 64 KiB and never shrink. Here it stays small, and larger ones are released
/// once their frames have been taken out of them.
package struct ReceiveBuffers: RecvByteBufferAllocator {
  /// The number of reads before the event loop turns to other connections.
  ///
  /// NIO keeps so many buffers, so that with one, it keeps only the first.
  package static let readsAtATime: UInt = 1
  /// The sizes in bytes, from that of a connection that carries single messages to that of one that
  /// carries full frames.
  package static let sizes = [512, 4_096, 65_536]

  /// The place of the present size in `sizes`.
  private var place: UInt8 = 0
  /// A Boolean value that indicates whether the last read would have had room in the next smaller
  /// size.
  private var wasSmall = false

  package init() {}

  private var size: Int { Self.sizes[Int(place)] }

  package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: size) }

  /// Returns nothing, because NIO would otherwise enlarge the buffer that it keeps.
  package func nextBufferSize() -> Int? { nil }

  /// Chooses the next size; returns whether it takes another buffer than the one that NIO keeps.
  package mutating func record(actualReadBytes: Int) -> Bool {
    if actualReadBytes >= size {
      place = min(place + 1, UInt8(Self.sizes.count - 1))
      wasSmall = false
    } else if place > 0 {
      let isSmall = actualReadBytes < Self.sizes[Int(place) - 1]
      // A single small read between large ones changes nothing.
      if isSmall, wasSmall { place -= 1 }
      wasSmall = isSmall && !wasSmall
    }
    return place > 0
  }
}
