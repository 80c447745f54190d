import Glibc
import Synchronization

/// The commands from other threads for the loop's thread, which wake it.
///
/// Callers never wait for the loop: libavahi-client makes blocking calls over D-Bus, and a daemon
/// that hangs must not hang the caller.
final class LoopMailbox: Sendable {
  /// A command from another thread.
  enum Command: Sendable {
    /// Replaces the announcement.
    case advertise(ServiceAdvertisement?)

    /// Examines instances that were ignored before.
    case lookAgain

    /// Sets the attention to other machines' announcements.
    case attend(Attention)

    /// Withdraws and frees everything, and ends the thread.
    case stop
  }

  private struct Contents {
    var stopped = false
    var advertisement: ServiceAdvertisement?
    var replaced = false
    var looksAgain = false
    var attention: Attention?
  }

  private let contents = Mutex(Contents())
  private let writeEnd: CInt

  /// The descriptor that can be read when there are commands to take.
  let readEnd: CInt

  /// Opens the channel that wakes the loop.
  ///
  /// - Throws: `LoopError` if the process may open no more descriptors.
  init() throws(LoopError) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw LoopError.noDescriptors }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Leaves a command and wakes the loop.
  ///
  /// Only the newest of several announcements is kept, so that the mailbox is bounded.
  func post(_ command: Command) {
    contents.withLock { contents in
      switch command {
      case .advertise(let advertisement):
        contents.advertisement = advertisement
        contents.replaced = true
      case .lookAgain:
        contents.looksAgain = true
      case .attend(let attention):
        contents.attention = attention
      case .stop:
        contents.stopped = true
      }
    }
    // A full channel means that the loop has a wake-up pending anyway.
    var byte: UInt8 = 1
    _ = send(writeEnd, &byte, 1, CInt(MSG_NOSIGNAL))
  }

  /// Takes all commands.
  ///
  /// - Returns: The pending commands: the newest announcement, the newest attention, the request to
  ///   look again, and the order to stop.
  func take() -> [Command] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(readEnd, &bytes, bytes.count, 0) > 0 {}
    return contents.withLock { contents in
      var commands: [Command] = []
      if contents.replaced { commands.append(.advertise(contents.advertisement)) }
      if let attention = contents.attention { commands.append(.attend(attention)) }
      if contents.looksAgain { commands.append(.lookAgain) }
      if contents.stopped { commands.append(.stop) }
      contents.replaced = false
      contents.looksAgain = false
      contents.attention = nil
      contents.advertisement = nil
      return commands
    }
  }
}
