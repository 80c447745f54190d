import CProcess
import Dispatch
import Glibc
import LatchkeyModel
import Synchronization

/// A watch over processes that reports whether they are running and when they ended.
///
/// Each process is held by a descriptor (`pidfd_open`), which stays valid when its number is
/// reused. One thread waits for the ends of all processes. It starts with the first process.
public final class ProcessWatch: Sendable {
  public enum State: Hashable, Sendable {
    case running
    /// It ended while it was watched, at a time on the boot clock and in Unix milliseconds.
    case ended(at: BootInstant, wall: Int64)
    /// It had ended before it was watched.
    case gone
  }

  private let table: WatchTable

  /// Creates a watch without processes.
  ///
  /// `onEnd` is called on a thread of the watch after a process has ended.
  public init(onEnd: @escaping @Sendable () -> Void) {
    table = WatchTable(onEnd: onEnd)
  }

  deinit { table.stop() }

  /// Returns the state of a process, and watches it from now on if it is running.
  public func state(of process: ProcessIdentity) -> State { table.state(of: process) }

  /// Begins to watch a process that was just started.
  ///
  /// If it has already ended and was not reaped, its end counts as now. `state(of:)` cannot assume
  /// that, since such a process may have ended long ago.
  public func begin(_ process: ProcessIdentity) { table.begin(process) }

  public func forget(_ process: ProcessIdentity) { table.forget(process) }
}

/// The watched processes, which the watch and its thread share.
private final class WatchTable: Sendable {
  private struct Entry {
    /// The descriptor; -1 if the kernel provides none, and /proc is read each time.
    var descriptor: Int32
    var end: (at: BootInstant, wall: Int64)?
  }

  private struct Content {
    var entries: [ProcessIdentity: Entry] = [:]
    /// The descriptors that the thread closes once it no longer waits for them.
    var closing: [Int32] = []
    var hasThread = false
    var isStopped = false
  }

  private let content = Mutex(Content())
  private let onEnd: @Sendable () -> Void
  /// The reading and writing ends of a pipe that interrupts the thread; -1 if it could not be
  /// created.
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
      // The number may have been reused. The start time shows whether it was, and the descriptor
      // keeps the result valid.
      guard ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) else {
        if descriptor >= 0 { close(descriptor) }
        return (.gone, false)
      }
      content.entries[process] = Entry(descriptor: descriptor)
      if descriptor >= 0, !content.hasThread, interrupt.reading >= 0 {
        content.hasThread = true
        DispatchQueue(label: "org.latchkey.processes").async { [self] in wait() }
      }
      return (.running, true)
    }
    if isNew { wake() }
    return state
  }

  func begin(_ process: ProcessIdentity) {
    guard state(of: process) == .gone, ProcessLiveness.startTime(pid: process.processID) == process.startTime else {
      return
    }
    _ = content.withLock { Self.note(process, &$0) }
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

  /// Records that a process has just ended.
  @discardableResult
  private static func note(_ process: ProcessIdentity, _ content: inout Content) -> ProcessWatch.State {
    let end = (at: BootClock.now(), wall: WallClock.now())
    if let entry = content.entries[process], entry.descriptor >= 0 { content.closing.append(entry.descriptor) }
    content.entries[process] = Entry(descriptor: -1, end: end)
    return .ended(at: end.at, wall: end.wall)
  }

  private func wake() {
    var byte: UInt8 = 0
    // A full pipe has already woken the thread.
    if interrupt.writing >= 0 { _ = write(interrupt.writing, &byte, 1) }
  }

  /// Runs the thread, which waits for the end of a process or a change of the list until the watch
  /// is released.
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
