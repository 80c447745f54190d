import Glibc
import Synchronization

/// Reads of processes' files in /proc, which a process can make wait forever.
///
/// A process may serve a file system itself and not answer it in the middle of its own `exec`. It
/// then holds a lock of the kernel's, and every reader of its files waits until a signal ends the
/// reader. Therefore `ProcFile` records which process it reads, for a thread that watches it. It
/// does not read processes that have made a reader wait before.
public enum ProcessReads {
  /// A read that has begun, or none.
  public struct Reading: Hashable, Sendable {
    /// The number of the process; `nil` between two reads.
    public let process: Int32?
    fileprivate let count: UInt32
  }

  /// The process in the lower half, 0 for none; the count of reads in the upper half.
  private static let state = Atomic<UInt64>(0)
  private static let isWatched = Atomic<Bool>(false)
  /// A Boolean value that indicates whether the watching thread has been woken since it last slept.
  private static let isAwake = Atomic<Bool>(true)
  private static let hasLeftOut = Atomic<Bool>(false)
  private static let leftOut = Mutex<Set<Int32>>([])
  /// Both ends of the pipe that wakes the watching thread.
  private static let pipe = Mutex<[Int32]>([-1, -1])

  /// Excludes the files of these processes from all further reads.
  public static func leaveOut(_ processes: Set<Int32>) {
    leftOut.withLock { $0 = processes }
    hasLeftOut.store(!processes.isEmpty, ordering: .releasing)
  }

  /// The processes whose files are not read.
  public static var leftOutProcesses: [Int32] { leftOut.withLock { $0.sorted() } }

  /// Begins to record the reads of one thread; returns whether that works.
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
    // A read that began in between has not woken the thread.
    if current.process != nil, !isAwake.exchange(true, ordering: .sequentiallyConsistent) { return }
    let end = pipe.withLock { $0[0] }
    var byte: UInt8 = 0
    while read(end, &byte, 1) < 0, errno == EINTR {}
  }

  /// Returns the result of reading a file; `nil` if the file belongs to a process that is left out.
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

  /// Returns the process whose folder in /proc a path is in, and whether it is the folder.
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
