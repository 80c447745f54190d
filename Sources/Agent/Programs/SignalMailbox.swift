import Glibc
import Synchronization

/// The one thing a signal handler may do here: drop a letter of two bytes into a pipe.
enum SignalMailbox {
  /// The pipe's writing end, or -1. Stored before the first handler is set, so that no handler is the first to touch it.
  static let descriptor = Atomic<Int32>(-1)

  /// The handler. It allocates nothing and takes no lock; a full pipe drops the letter, as the kernel merges signals.
  static let post: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
    number, information, _ in
    let before = errno
    let fromKernel: UInt16 = (information?.pointee.si_code ?? 0) > 0 ? 0x100 : 0
    var letter = UInt16(truncatingIfNeeded: number & 0xFF) | fromKernel
    _ = write(SignalMailbox.descriptor.load(ordering: .acquiring), &letter, 2)
    errno = before
  }

  /// Read a letter: the signal's number, and whether it came from the terminal and not from a process.
  static func open(_ letter: UInt16) -> (number: Int32, isFromTerminal: Bool) {
    (Int32(letter & 0xFF), letter & 0x100 != 0)
  }
}
