import CAvahi
import Glibc
import LatchkeySystem
import Synchronization

/// The event loop of one thread, which owns every Avahi object of a discovery.
///
/// It drives `AvahiSimplePoll` itself instead of using `AvahiThreadedPoll`. So everything happens
/// on one thread without a lock, timers run on a clock that does not jump, and a caller never waits
/// for a blocked loop. Every member but `init` belongs to the loop's thread.
final class DiscoveryLoop {
  private let poll: OpaquePointer
  private var deferred: [() -> Void] = []
  private var timers: [ObjectIdentifier: LoopTimer] = [:]
  private var running = true

  /// Called after every wake-up, before timers and deferred work.
  var onWake: () -> Void = {}

  /// The table with which Avahi adds its own watches and time-outs to this loop.
  var api: UnsafePointer<AvahiPoll> { avahi_simple_poll_get(poll) }

  /// Creates an idle loop; throws `LoopError.noMemory`.
  init() throws(LoopError) {
    guard let poll = avahi_simple_poll_new() else { throw LoopError.noMemory }
    self.poll = poll
  }

  deinit { avahi_simple_poll_free(poll) }

  /// Runs a closure in the next turn, outside of any call-back from Avahi.
  func later(_ work: @escaping () -> Void) { deferred.append(work) }

  /// Runs a closure once after a time, unless the returned timer is cancelled.
  ///
  /// The time is counted on a clock that does not jump and runs while the machine sleeps.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    let timer = LoopTimer(deadline: SystemClock.boot.now + delay, loop: self, work: work)
    timers[ObjectIdentifier(timer)] = timer
    return timer
  }

  fileprivate func cancel(_ timer: LoopTimer) { timers[ObjectIdentifier(timer)] = nil }

  /// Runs until `quit`; returns `false` if the system refused to wait, which ends the loop as well.
  func run() -> Bool {
    while running {
      turn()
      guard running else { return true }
      guard avahi_simple_poll_iterate(poll, timeout()) == 0 else { return false }
      onWake()
    }
    return true
  }

  func quit() { running = false }

  private func turn() {
    let now = SystemClock.boot.now
    for timer in timers.values.filter({ $0.deadline <= now }).sorted(by: { $0.deadline < $1.deadline })
    where timers.removeValue(forKey: ObjectIdentifier(timer)) != nil {
      timer.work()
    }
    for item in exchange(&deferred, with: []) { item() }
  }

  /// Returns the milliseconds until the next timer is due, rounded up; -1 if there is none.
  private func timeout() -> CInt {
    guard deferred.isEmpty else { return 0 }
    guard let next = timers.values.map(\.deadline).min() else { return -1 }
    let wait = next - SystemClock.boot.now
    guard wait > .zero else { return 0 }
    let (seconds, attoseconds) = wait.components
    return CInt(clamping: min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}

/// A closure that a loop runs at a set time.
final class LoopTimer {
  /// The time since boot at which it is due.
  let deadline: Duration

  fileprivate let work: () -> Void
  private weak var loop: DiscoveryLoop?

  fileprivate init(deadline: Duration, loop: DiscoveryLoop, work: @escaping () -> Void) {
    (self.deadline, self.loop, self.work) = (deadline, loop, work)
  }

  func cancel() { loop?.cancel(self) }
}

/// The reasons why the loop cannot run.
enum LoopError: Error, Hashable {
  /// The process may open no more descriptors.
  case noDescriptors

  case noMemory
  /// The system refuses to wait for events.
  case broken
}

/// The commands from other threads for the loop's thread, which wake it.
///
/// Callers never wait for the loop: libavahi-client makes blocking calls over D-Bus, and a daemon
/// that hangs must not hang the caller.
final class LoopMailbox: Sendable {
  enum Command: Sendable {
    case advertise(ServiceAdvertisement?)
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

  /// Opens the channel that wakes the loop; throws `LoopError` if the process may open no more
  /// descriptors.
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
      case .lookAgain: contents.looksAgain = true
      case .attend(let attention): contents.attention = attention
      case .stop: contents.stopped = true
      }
    }
    // A full channel means that the loop has a wake-up pending anyway.
    var byte: UInt8 = 1
    _ = send(writeEnd, &byte, 1, CInt(MSG_NOSIGNAL))
  }

  /// Takes the pending commands: the newest announcement, the newest attention, the request to look
  /// again, and the order to stop.
  func take() -> [Command] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(readEnd, &bytes, bytes.count, 0) > 0 {}
    return contents.withLock { contents in
      var commands: [Command] = []
      if contents.replaced { commands.append(.advertise(contents.advertisement)) }
      if let attention = contents.attention { commands.append(.attend(attention)) }
      if contents.looksAgain { commands.append(.lookAgain) }
      if contents.stopped { commands.append(.stop) }
      contents = Contents(stopped: contents.stopped)
      return commands
    }
  }
}
