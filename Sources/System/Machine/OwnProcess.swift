import CProcess
import Glibc
import LatchkeyModel
import Synchronization

/// The slices of time into which the kernel divides a processor.
///
/// Since Linux 6.12, a thread that wakes up waits until the running thread has used up its slice,
/// unless its own slices are shorter. Priorities do not matter. Earlier kernels accept the request
/// and ignore it.
public enum ProcessorSlice {
  /// The shortest slice that the kernel gives, in nanoseconds.
  public static let shortest: UInt64 = 100_000

  /// Requests the shortest slices for the thread with a number, or for the calling thread; returns
  /// whether the kernel accepts the request.
  public static func requestShortest(for thread: Int32 = 0) -> Bool { latchkey_request_slice(thread, shortest) == 0 }
}

/// A thread beside those of the Swift runtime, for calls that wait.
package enum DetachedThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread with a stack of some bytes; returns `false` if there is no memory for it.
  package static func start(stack: Int, _ run: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stack)
    let body = Unmanaged.passRetained(Body(run))
    var thread = pthread_t()
    // The thread inherits a mask that leaves all signals to other threads.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let result = pthread_create(
      &thread, &attributes,
      { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    if result != 0 { body.release() }
    return result == 0
  }
}

/// The memory that this process occupies while it is idle.
public enum ResidentMemory {
  /// The age at which a process has read all that it needs only once, in milliseconds.
  public static let settledMilliseconds: Int64 = 20_000
  /// The time between two releases of memory, in milliseconds.
  public static let pauseMilliseconds: Int64 = 600_000

  /// The same for a process that answers others: a few requests map most of it again.
  private static let firstMilliseconds: Int64 = 5_000
  private static let repeatMilliseconds: Int64 = 60_000
  /// The page faults after which a release is worthwhile; each maps up to 64 KiB.
  private static let worthwhileFaults = 128

  /// Releases memory soon after the start and regularly after that, if much has been mapped since
  /// the last time, until the task is cancelled.
  public static func releaseRepeatedly() async {
    var (pause, faults) = (firstMilliseconds, 0)
    while !Task.isCancelled {
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
      if Self.faults - faults >= worthwhileFaults {
        release()
        faults = Self.faults
      }
      pause = repeatMilliseconds
    }
  }

  /// The number of page faults of this process so far that needed no disk.
  private static var faults: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return Int(usage.ru_minflt)
  }

  /// Releases free parts of the heap, and what was only read from the program's files.
  ///
  /// What is used again is mapped again from the page cache, where the kernel keeps it as long as
  /// there is room. Most of the code and tables that a start needs are not used again. Without
  /// this, they would count as resident for as long as the process lives.
  public static func release() {
    latchkey_trim_heap()
    var mapping: UnsafeRawBufferPointer?
    for line in (ProcFile.read("/proc/self/smaps", most: 4 << 20) ?? []).split(separator: 0x0A) {
      // A mapping begins with ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH.
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard let first = fields.first, first.last != 0x3A else {
        // A mapping without private pages, in memory or on a swap device, is identical to its file.
        // Tables that were relocated when the program started have private pages. The line about
        // swap comes last.
        guard fields.count > 1, let found = mapping else { continue }
        let isLast = fields[0].elementsEqual("Swap:".utf8)
        guard isLast || fields[0].elementsEqual("Anonymous:".utf8) else { continue }
        if !fields[1].elementsEqual("0".utf8) {
          mapping = nil
        } else if isLast {
          madvise(UnsafeMutableRawPointer(mutating: found.baseAddress), found.count, Int32(MADV_DONTNEED))
        }
        continue
      }
      mapping = readOnly(fields)
    }
  }

  /// Returns the memory of a mapping of a file that may not be written to; `nil` for another one.
  private static func readOnly(_ fields: [ArraySlice<UInt8>]) -> UnsafeRawBufferPointer? {
    guard fields.count == 6, fields[4].first != 0x30,
      fields[1].elementsEqual("r-xp".utf8) || fields[1].elementsEqual("r--p".utf8)
    else { return nil }
    let ends = fields[0].split(separator: 0x2D).compactMap { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
    guard ends.count == 2, ends[0] < ends[1] else { return nil }
    return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: ends[0]), count: Int(ends[1] - ends[0]))
  }
}

/// The protection of this process's memory from core dumps and other programs, for as long as the
/// value exists.
///
/// A node holds one while it runs, and a command that shows or reads a pairing code holds one until
/// it is done. The last one to end restores the earlier setting.
public struct UndumpableScope: ~Copyable, Sendable {
  private struct State {
    var open = 0
    var before: Int32 = 1
  }

  private static let state = Mutex(State())

  public init() {
    Self.state.withLock { state in
      if state.open == 0 {
        state.before = latchkey_get_dumpable()
        _ = latchkey_set_dumpable(0)
      }
      state.open += 1
    }
  }

  deinit {
    Self.state.withLock { state in
      state.open -= 1
      // By the value 2, only root can read dumps. The kernel takes it from no program.
      if state.open == 0, state.before == 1 { _ = latchkey_set_dumpable(1) }
    }
  }
}

/// The limit on open files of this process.
public enum OpenFiles {
  /// Raises the limit as far as the system permits.
  ///
  /// Each session needs one file, and the usual limit of 1,024 is less than the number of devices
  /// with which a node may be paired.
  public static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

public enum CoreFiles {
  /// Sets the size limit of core files to 0, for this process and the programs that it starts.
  public static func forbid() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// The language that an administrator has set for the machine, in which people read what programs
/// without a language of their own say: the log-in gate and the agent.
public enum MachineLanguage {
  private static let files = ["/etc/default/locale", "/etc/locale.conf"]

  /// Returns the language, or English.
  public static func read() -> Language {
    for file in files { if let text = ProcFile.text(file) { return Language.asked(forLocale: text) } }
    return .english
  }
}
