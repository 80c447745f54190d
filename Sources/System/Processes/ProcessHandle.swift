import CProcess
import Glibc
import LatchkeyModel

/// A descriptor of a process, which stays valid for that process when its number is reused.
public struct ProcessHandle: ~Copyable, Sendable {
  /// The descriptor, which can be polled for the end of the process.
  public let descriptor: Int32

  /// The time within which no number is reused for another process, in milliseconds.
  ///
  /// The kernel assigns numbers in a cycle of at least 32,768, unless root has shortened it
  /// (`pid_max`).
  private static let cycleMilliseconds: Int64 = 10

  /// Opens a process; `nil` if it has ended, or if its number now belongs to a later one.
  ///
  /// `seenAt` is a reading of the clock from before the process was seen with its start time.
  public init?(_ process: ProcessIdentity, seenAt: BootInstant? = nil) {
    let descriptor = latchkey_pidfd_open(process.processID)
    guard descriptor >= 0 else { return nil }
    if let seenAt, BootClock.now() - seenAt < Self.cycleMilliseconds {
      self.descriptor = descriptor
      return
    }
    // The number belonged to that process before the descriptor was opened, and still does. The
    // descriptor therefore belongs to it.
    guard ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  /// Opens the process that has a number now, without reading its files; `nil` if there is none.
  public init?(of number: Int32) {
    let descriptor = latchkey_pidfd_open(number)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a signal to the process; returns `false` if it has ended, or belongs to a user over whom
  /// this process has no rights.
  @discardableResult
  public borrowing func send(signal number: Int32) -> Bool { latchkey_pidfd_signal(descriptor, number) == 0 }

  public var hasEnded: Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) > 0
  }
}
