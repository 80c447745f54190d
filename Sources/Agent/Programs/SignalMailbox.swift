import Glibc
import Synchronization

/// The only action that a signal handler takes here: writing two bytes into a pipe.
enum SignalMailbox {
  /// The pipe's writing end, or -1.
  ///
  /// It is set before the first handler is installed, so that no handler is the first to access it.
  static let descriptor = Atomic<Int32>(-1)

  /// The signal handler.
  ///
  /// It allocates nothing and takes no lock. If the pipe is full, the signal is dropped, as the kernel merges signals.
  static let post: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
    number, information, _ in
    let before = errno
    let fromKernel: UInt16 = (information?.pointee.si_code ?? 0) > 0 ? 0x100 : 0
    var letter = UInt16(truncatingIfNeeded: number & 0xFF) | fromKernel
    _ = write(SignalMailbox.descriptor.load(ordering: .acquiring), &letter, 2)
    errno = before
  }

  /// Returns a signal's number, and whether it came from the terminal rather than a process.
  static func open(_ letter: UInt16) -> (number: Int32, isFromTerminal: Bool) {
    (Int32(letter & 0xFF), letter & 0x100 != 0)
  }
}
