import CSodium

/// A secret in memory of its own, which is erased on release.
///
/// The bytes never change after `init`, so references may be shared between threads. The type is
/// not `Codable`, prints no content, and compares in constant time. It does not use guarded pages
/// (`sodium_malloc`): a session replaces its keys often, and each guarded allocation costs several
/// system calls and 12 KiB.
public final class SecretBytes: Sendable, Equatable {
  public let count: Int

  // Written only during `init` and erased in `deinit`, when no reference is left. In between it is
  // only read.
  nonisolated(unsafe) private let storage: UnsafeMutableRawPointer

  /// Creates a secret that `body` writes over `count` zeros in place, so that no copy is left
  /// elsewhere.
  ///
  /// If `body` throws, nothing of the secret is kept.
  public init<E: Error>(count: Int, initializing body: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
    self.count = count
    storage = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
    storage.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
    try body(UnsafeMutableRawBufferPointer(start: storage, count: count))
  }

  /// Creates a secret that a C function writes through a pointer to its first byte.
  convenience init(count: Int, writing body: (UnsafeMutablePointer<UInt8>) -> Void) {
    self.init(count: count)
    body(storage.assumingMemoryBound(to: UInt8.self))
  }

  private convenience init(count: Int) { self.init(count: count, initializing: { _ in }) }

  /// Creates a secret from an array, which is not erased; use `init(count:initializing:)` if that
  /// matters.
  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { memory in
      bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
    }
  }

  /// Creates a secret from memory that the caller owns and erases.
  public convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { memory in memory.copyMemory(from: bytes) }
  }

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

  public static func random(count: Int) -> SecretBytes {
    Sodium.prepare()
    return SecretBytes(count: count, writing: { randombytes_buf($0, count) })
  }

  /// Calls `body` with a pointer to the secret, which is valid only during the call.
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: storage, count: count))
  }

  /// Returns a copy of a part of the secret; `range` is in bytes.
  public func slice(_ range: Range<Int>) -> SecretBytes {
    SecretBytes(count: range.count) { memory in
      memory.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: storage, count: count)[range]))
    }
  }

  /// Calls a C function with a pointer to the secret's first byte.
  func withBytePointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
    body(UnsafePointer(storage.assumingMemoryBound(to: UInt8.self)))
  }

  /// Compares two secrets in a time that depends only on their sizes.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.count == right.count && sodium_memcmp(left.storage, right.storage, left.count) == 0
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SecretBytes(\(count) bytes, redacted)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The initialization of libsodium, once for each process, before any function that needs its
/// randomness or its processor-specific code.
enum Sodium {
  // The initializer of a constant runs exactly once, on whichever thread comes first. `sodium_init`
  // fails only if the system has no source of randomness, without which no program can create keys.
  private static let isReady: Bool = sodium_init() >= 0

  /// Initializes libsodium on the first call; later calls cost one comparison.
  static func prepare() { precondition(isReady, "libsodium could not be initialised: the system offers no randomness") }
}

/// Random bytes from the operating system.
public enum SecureRandom {
  /// Returns `count` random bytes that need not stay secret, unlike those of
  /// `SecretBytes.random(count:)`.
  public static func bytes(_ count: Int) -> [UInt8] {
    Sodium.prepare()
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }
}

/// The comparison of bytes in a time that does not depend on their content.
public enum ConstantTime {
  /// Returns whether two byte strings are the same; their sizes are not secret.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
