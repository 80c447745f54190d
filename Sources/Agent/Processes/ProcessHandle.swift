import CProcess
import Glibc
import LatchkeyModel

/// A descriptor of a process, which stays that of the same process when its number is used again.
public struct ProcessHandle: ~Copyable, Sendable {
  /// The descriptor, which can be polled for the end of the process.
  public let descriptor: Int32

  /// Opens the process; `nil` if it has ended, or if the number is that of a later one.
  public init?(_ process: ProcessIdentity) {
    let descriptor = latchkey_pidfd_open(process.processID)
    guard descriptor >= 0 else { return nil }
    // The number was that process's before, and is now: the descriptor is of nothing else.
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

  /// Sends a signal to the process; returns `false` if it has ended or belongs to a user over whom this one has no rights.
  @discardableResult
  public borrowing func send(signal number: Int32) -> Bool { latchkey_pidfd_signal(descriptor, number) == 0 }

  /// A Boolean value that indicates whether the process has ended.
  public var hasEnded: Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) > 0
  }
}
