import CSodium

/// Hold a secret in memory of its own and wipe that memory on release.
///
/// The bytes never change after `init`, so references may be shared between threads. The type is not `Codable`, prints
/// no content, and compares in constant time. Guarded pages (`sodium_malloc`) are not used: a session replaces its keys
/// often, and each guarded allocation costs several system calls and 12 KiB.
public final class SecretBytes: Sendable {
  /// The number of bytes.
  public let count: Int

  // Written only while `init` runs and wiped in `deinit`, when no reference is left; in between it is only read.
  nonisolated(unsafe) private let storage: UnsafeMutableRawPointer

  /// Make a secret that `body` writes in place, so that no copy of it is left elsewhere.
  ///
  /// - Parameters:
  ///   - count: size in bytes, 0 or more.
  ///   - body: receives `count` zeroed bytes to fill.
  /// - Throws: what `body` throws; nothing of the secret stays then.
  public init<E: Error>(
    count: Int, initializing body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    self.count = count
    storage = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
    storage.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
    try body(UnsafeMutableRawBufferPointer(start: storage, count: count))
  }

  /// Make a secret that a C function writes through a pointer to its first byte.
  convenience init(count: Int, writing body: (UnsafeMutablePointer<UInt8>) -> Void) {
    self.init(count: count)
    body(storage.assumingMemoryBound(to: UInt8.self))
  }

  private convenience init(count: Int) {
    self.init(count: count, initializing: { _ in })
  }

  /// Copy a secret out of an array.
  ///
  /// The array itself is not wiped; prefer `init(count:initializing:)` where that matters.
  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { memory in
      bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
    }
  }

  /// Copy a secret out of memory that the caller owns and wipes.
  public convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { memory in memory.copyMemory(from: bytes) }
  }

  /// Join secrets, in order, into one.
  public convenience init(joining parts: [SecretBytes]) {
    self.init(count: parts.reduce(0) { $0 + $1.count }) { memory in
      var offset = 0
      for part in parts {
        part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: $0) }
        offset += part.count
      }
    }
  }

  deinit {
    sodium_memzero(storage, count)
    storage.deallocate()
  }

  /// Make a secret of `count` random bytes.
  public static func random(count: Int) -> SecretBytes {
    Sodium.prepare()
    return SecretBytes(count: count, writing: { randombytes_buf($0, count) })
  }

  /// Read the secret where it lies. The pointer is valid only inside `body`.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: storage, count: count))
  }

  /// Copy a part of the secret into a secret of its own.
  ///
  /// - Parameter range: positions in bytes, inside `0..<count`.
  /// - Returns: a copy that is wiped on its own.
  public func slice(_ range: Range<Int>) -> SecretBytes {
    SecretBytes(count: range.count) { memory in
      memory.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: storage, count: count)[range]))
    }
  }

  /// Lend the secret to a C function that reads bytes.
  func withBytePointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
    body(UnsafePointer(storage.assumingMemoryBound(to: UInt8.self)))
  }
}

extension SecretBytes: Equatable {
  /// Compare in a time that depends on the sizes only.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.count == right.count && sodium_memcmp(left.storage, right.storage, left.count) == 0
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SecretBytes(\(count) bytes, redacted)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
