import CAvahi

/// Calls back on the loop's thread whenever a descriptor is readable.
final class LoopWatch {
  private let loop: DiscoveryLoop
  private let onReadable: () -> Void
  private var raw: OpaquePointer?

  /// Watch a descriptor, which stays the caller's.
  ///
  /// - Parameters:
  ///   - descriptor: open for as long as this watch.
  ///   - loop: the loop to hang it into.
  ///   - onReadable: called as long as something can be read.
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

  /// Stop watching; there is no call-back after this.
  func close() {
    guard let raw else { return }
    self.raw = nil
    loop.api.pointee.watch_free?(raw)
  }
}
