import Glibc
import Synchronization

/// The reading of processes' files in /proc, which a process can make wait for ever.
///
/// One that is in the middle of an `exec` while a file system that it serves itself owes it an answer holds a lock of the kernel's
/// for which whoever reads its files waits, until a signal ends the reader. So `ProcFile` notes which process it reads, for
/// a thread that watches over it, and leaves out those that have made a reader wait before.
public enum ProcessReads {
  /// A read that has begun, or none.
  public struct Reading: Hashable, Sendable {
    /// The number of the process; `nil` between two reads.
    public let process: Int32?
    fileprivate let count: UInt32
  }

  /// The process in the lower half, 0 for none; above it the count of reads.
  private static let state = Atomic<UInt64>(0)
  private static let isWatched = Atomic<Bool>(false)
  /// A Boolean value that indicates whether the watching thread has been woken since it rested.
  private static let isAwake = Atomic<Bool>(true)
  private static let hasLeftOut = Atomic<Bool>(false)
  private static let leftOut = Mutex<Set<Int32>>([])
  /// Both ends of the pipe that wakes the watching thread.
  private static let pipe = Mutex<[Int32]>([-1, -1])

  /// Leaves the files of these processes alone from now on.
  public static func leaveOut(_ processes: Set<Int32>) {
    leftOut.withLock { $0 = processes }
    hasLeftOut.store(!processes.isEmpty, ordering: .releasing)
  }

  /// The processes whose files are left alone.
  public static var leftOutProcesses: [Int32] { leftOut.withLock { $0.sorted() } }

  /// Has reads noted, those of one thread; returns whether that works.
  public static func watch() -> Bool {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipe.withLock { $0 = ends }
    isAwake.store(false, ordering: .sequentiallyConsistent)
    isWatched.store(true, ordering: .sequentiallyConsistent)
    return true
  }

  public static var current: Reading {
    let value = state.load(ordering: .sequentiallyConsistent)
    let process = Int32(truncatingIfNeeded: value)
    return Reading(process: process == 0 ? nil : process, count: UInt32(value >> 32))
  }

  /// Waits in the watching thread until something is read.
  public static func awaitOne() {
    isAwake.store(false, ordering: .sequentiallyConsistent)
    // What began in between has woken nobody.
    if current.process != nil, !isAwake.exchange(true, ordering: .sequentiallyConsistent) { return }
    let end = pipe.withLock { $0[0] }
    var byte: UInt8 = 0
    while read(end, &byte, 1) < 0, errno == EINTR {}
  }

  /// Returns what reads a file give; `nil` if it is one of a process that is left out.
  static func reading<Result>(_ path: String, _ body: () -> Result?) -> Result? {
    guard isWatched.load(ordering: .relaxed), let (process, isFolder) = process(of: path) else { return body() }
    if !isFolder, hasLeftOut.load(ordering: .acquiring), leftOut.withLock({ $0.contains(process) }) { return nil }
    let count = (state.load(ordering: .relaxed) >> 32) &+ 1
    state.store(count << 32 | UInt64(UInt32(bitPattern: process)), ordering: .sequentiallyConsistent)
    defer { state.store(count << 32, ordering: .sequentiallyConsistent) }
    if !isAwake.exchange(true, ordering: .sequentiallyConsistent) {
      var byte: UInt8 = 1
      _ = write(pipe.withLock { $0[1] }, &byte, 1)
    }
    return body()
  }

  /// Returns the process to whose folder in /proc a path leads, and whether it is the folder itself.
  static func process(of path: String) -> (process: Int32, isFolder: Bool)? {
    var path = path
    return path.withUTF8 { bytes in
      guard bytes.count > 6, bytes.prefix(6).elementsEqual("/proc/".utf8) else { return nil }
      var (number, place): (Int32, Int) = (0, 6)
      while place < bytes.count, bytes[place] != 0x2F {
        guard bytes[place] >= 0x30, bytes[place] <= 0x39, number < 100_000_000 else { return nil }
        number = number * 10 + Int32(bytes[place] - 0x30)
        place += 1
      }
      return number > 0 ? (number, place == bytes.count) : nil
    }
  }
}
