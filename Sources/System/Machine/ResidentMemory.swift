import CProcess
import Glibc

/// The memory that this process occupies while it is idle.
public enum ResidentMemory {
  /// The time after its start by which a process has read whatever it needs only once, in
  /// milliseconds.
  public static let settledMilliseconds: Int64 = 20_000
  /// The time between two releases of memory, in milliseconds.
  public static let pauseMilliseconds: Int64 = 600_000

  /// Releases memory once the process has settled, and regularly after that, until the task is
  /// cancelled.
  public static func releaseRepeatedly() async {
    var pause = settledMilliseconds
    while !Task.isCancelled {
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
      release()
      pause = pauseMilliseconds
    }
  }

  /// Releases the free parts of the heap, and the code of this program and its libraries.
  ///
  /// Code that runs again is mapped again from the page cache, where the kernel keeps it as long as
  /// there is room. Most of the code that a start needs does not run again. Without this, it would
  /// count as resident for as long as the process lives.
  public static func release() {
    latchkey_trim_heap()
    for line in (ProcFile.read("/proc/self/maps", most: 1 << 20) ?? []).split(separator: 0x0A) {
      // ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH. Executable memory that is not writable is
      // identical to its file.
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard fields.count == 6, fields[1].elementsEqual("r-xp".utf8), fields[4].first != 0x30 else { continue }
      let ends = fields[0].split(separator: 0x2D).compactMap { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: ends[0]), Int(ends[1] - ends[0]), Int32(MADV_DONTNEED))
    }
  }
}
