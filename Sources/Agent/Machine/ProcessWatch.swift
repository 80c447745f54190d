import CProcess
import Foundation
import Glibc
import LatchkeyModel
import Synchronization

/// Tells whether processes still run and when they ended, by the kernel's word alone.
///
/// Each process is held by a descriptor (`pidfd_open`), which stays its own when its number is given to another. One thread
/// waits for the ends of all; it begins with the first process.
public final class ProcessWatch: Sendable {
  /// What is known of a process.
  public enum State: Hashable, Sendable {
    case running
    /// It ended while it was watched: boot clock, and Unix milliseconds.
    case ended(at: BootInstant, wall: Int64)
    /// It had ended before it was watched.
    case gone
  }

  private let table: WatchTable

  /// Creates a watch over nothing.
  ///
  /// - Parameter onEnd: Called on a thread of the watch after a process has ended.
  public init(onEnd: @escaping @Sendable () -> Void) {
    table = WatchTable(onEnd: onEnd)
  }

  deinit { table.stop() }

  /// Returns what is known of a process, and watches it from now on if it runs.
  public func state(of process: ProcessIdentity) -> State { table.state(of: process) }

  /// Forgets a process.
  public func forget(_ process: ProcessIdentity) { table.forget(process) }
}

/// The watched processes, shared by the watch and its thread.
private final class WatchTable: Sendable {
  private struct Entry {
    /// -1 when the kernel gives no descriptor: then /proc is asked each time.
    var descriptor: Int32
    var end: (at: BootInstant, wall: Int64)?
  }

  private struct Content {
    var entries: [ProcessIdentity: Entry] = [:]
    /// Descriptors that the thread closes once it does not wait on them.
    var closing: [Int32] = []
    var hasThread = false
    var isStopped = false
  }

  private let content = Mutex(Content())
  private let onEnd: @Sendable () -> Void
  /// The reading and the writing end of a pipe that interrupts the thread's waiting; -1 when none could be made.
  private let interrupt: (reading: Int32, writing: Int32)

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    interrupt = (ends[0], ends[1])
  }

  deinit {
    let descriptors = content.withLock { content in
      content.closing + content.entries.values.map(\.descriptor) + [interrupt.reading, interrupt.writing]
    }
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
  }

  func state(of process: ProcessIdentity) -> ProcessWatch.State {
    let (state, isNew) = content.withLock { content -> (ProcessWatch.State, Bool) in
      if let entry = content.entries[process] { return (Self.look(at: process, entry, &content), false) }
      let descriptor = latchkey_pidfd_open(process.processID)
      // The number may be another's by now; the start time tells, and the descriptor keeps what it told.
      guard ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) else {
        if descriptor >= 0 { close(descriptor) }
        return (.gone, false)
      }
      content.entries[process] = Entry(descriptor: descriptor)
      if descriptor >= 0, !content.hasThread, interrupt.reading >= 0 {
        content.hasThread = true
        Thread.detachNewThread { [self] in wait() }
      }
      return (.running, true)
    }
    if isNew { wake() }
    return state
  }

  func forget(_ process: ProcessIdentity) {
    content.withLock { content in
      if let entry = content.entries.removeValue(forKey: process), entry.descriptor >= 0 {
        content.closing.append(entry.descriptor)
      }
    }
    wake()
  }

  func stop() {
    content.withLock { $0.isStopped = true }
    wake()
  }

  private static func look(
    at process: ProcessIdentity, _ entry: Entry, _ content: inout Content
  ) -> ProcessWatch.State {
    if let end = entry.end { return .ended(at: end.at, wall: end.wall) }
    if entry.descriptor < 0 {
      return ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) ? .running : .gone
    }
    var ready = pollfd(fd: entry.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 0) > 0 else { return .running }
    return note(process, &content)
  }

  /// Notes that a process has ended just now.
  @discardableResult
  private static func note(_ process: ProcessIdentity, _ content: inout Content) -> ProcessWatch.State {
    let end = (at: BootClock.now(), wall: WallClock.now())
    if let entry = content.entries[process], entry.descriptor >= 0 { content.closing.append(entry.descriptor) }
    content.entries[process] = Entry(descriptor: -1, end: end)
    return .ended(at: end.at, wall: end.wall)
  }

  private func wake() {
    var byte: UInt8 = 0
    // A full pipe has woken it already.
    if interrupt.writing >= 0 { _ = write(interrupt.writing, &byte, 1) }
  }

  /// The thread: waits until a process ends or the list has changed, until the watch is gone.
  private func wait() {
    var buffer = [UInt8](repeating: 0, count: 64)
    while true {
      let watched = content.withLock { content -> [(ProcessIdentity, Int32)]? in
        for descriptor in content.closing { close(descriptor) }
        content.closing = []
        guard !content.isStopped else { return nil }
        return content.entries.compactMap { $0.value.descriptor >= 0 ? ($0.key, $0.value.descriptor) : nil }
      }
      guard let watched else { return }
      var ready = [pollfd(fd: interrupt.reading, events: Int16(POLLIN), revents: 0)]
      ready += watched.map { pollfd(fd: $0.1, events: Int16(POLLIN), revents: 0) }
      guard poll(&ready, nfds_t(ready.count), -1) > 0 else { continue }
      while read(interrupt.reading, &buffer, buffer.count) > 0 {}
      let ended = zip(watched, ready.dropFirst()).filter { $0.1.revents != 0 }.map { $0.0.0 }
      let isNews = content.withLock { content in
        for process in ended where content.entries[process]?.descriptor ?? -1 >= 0 { Self.note(process, &content) }
        return !ended.isEmpty
      }
      if isNews { onEnd() }
    }
  }
}
