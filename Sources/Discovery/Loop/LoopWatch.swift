import CAvahi
import Glibc

/// A watch of a descriptor that calls back on the loop's thread whenever something can be read.
final class LoopWatch {
  private let loop: DiscoveryLoop
  private let onReadable: () -> Void
  private var raw: OpaquePointer?

  /// Begins to watch a descriptor, which remains the caller's.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that is open for as long as the watch.
  ///   - loop: The loop that calls back.
  ///   - onReadable: Called as long as something can be read.
  /// - Throws: `LoopError.noMemory`.
  init(_ descriptor: CInt, on loop: DiscoveryLoop, _ onReadable: @escaping () -> Void) throws(LoopError) {
    self.loop = loop
    self.onReadable = onReadable
    let context = Unmanaged.passUnretained(self).toOpaque()
    let made = loop.api.pointee.watch_new?(
      loop.api, descriptor, AVAHI_WATCH_IN,
      { _, _, _, context in
        guard let context else { return }
        Unmanaged<LoopWatch>.fromOpaque(context).takeUnretainedValue().onReadable()
      }, context)
    guard let made else { throw LoopError.noMemory }
    raw = made
  }

  deinit {
    close()
  }

  /// Stops watching; there is no call-back after this.
  func close() {
    guard let raw else { return }
    self.raw = nil
    loop.api.pointee.watch_free?(raw)
  }
}

/// A watch of a kernel descriptor that calls back at the end of a burst of messages.
///
/// It owns the descriptor. The content of the messages is ignored, since the receiver of the call
/// reads everything again.
final class NewsWatch {
  private let loop: DiscoveryLoop
  private let pause: Duration
  private let onNews: () -> Void
  private let descriptor: CInt
  private var watch: LoopWatch?
  private var settling: LoopTimer?

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that does not block; negative if the system had none to give.
  ///   - loop: The loop that calls back.
  ///   - pause: How long to wait for more news before the call-back.
  ///   - drain: Reads everything that is available.
  ///   - onNews: Called once the burst is over.
  /// - Throws: `LoopError.noDescriptors` if there is no descriptor.
  init(
    _ descriptor: CInt, on loop: DiscoveryLoop, pause: Duration, drain: @escaping (CInt) -> Void,
    onNews: @escaping () -> Void
  ) throws(LoopError) {
    guard descriptor >= 0 else { throw LoopError.noDescriptors }
    self.loop = loop
    self.pause = pause
    self.onNews = onNews
    self.descriptor = descriptor
    watch = try LoopWatch(descriptor, on: loop) { [unowned self] in
      drain(descriptor)
      settle()
    }
  }

  deinit {
    settling?.cancel()
    watch?.close()
    Glibc.close(descriptor)
  }

  private func settle() {
    guard settling == nil else { return }
    settling = loop.schedule(after: pause) { [unowned self] in
      settling = nil
      onNews()
    }
  }
}
