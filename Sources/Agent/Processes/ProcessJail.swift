import Glibc
import LatchkeyModel

/// The control groups of root's own in which processes of others are frozen.
///
/// Each process has a group to itself, named after it, which outlives this program. Its owner can neither thaw it nor move it out; what
/// the system's first process moves out for the owner is reported by the kernel as soon as it happens.
///
/// Spec: Protocol/13-agent.md §12.
public final class ProcessJail {
  /// The most processes that are frozen at the same time.
  public static let capacity = 1_024
  /// The group of those that were let go.
  private static let released = "released"

  public let folder: String
  private var cells: [ProcessIdentity: Cell] = [:]

  /// The group of one process.
  private final class Cell {
    /// The file that the kernel changes when the last process leaves the group.
    let events: Int32
    init?(_ group: String) {
      events = open(group + "/cgroup.events", O_RDONLY | O_CLOEXEC)
      guard events >= 0 else { return nil }
    }
    deinit { close(events) }

    /// A Boolean value that indicates whether a process is in the group; reading it arms the descriptor again.
    var isOccupied: Bool {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = pread(events, &bytes, bytes.count, 0)
      return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).contains("populated 1")
    }
  }

  /// Makes a jail in a folder of the second version's control groups, and takes over what an earlier run froze there.
  ///
  /// It is `nil` where processes cannot be frozen, which a group that is made for it shows.
  public init?(folder: String) {
    self.folder = folder
    guard Self.make(folder) else { return nil }
    let trial = folder + "/trial"
    guard Self.make(trial) else { return nil }
    let canFreeze = Self.write("1", to: trial + "/cgroup.freeze") && Self.write("0", to: trial + "/cgroup.freeze")
    rmdir(trial)
    guard canFreeze else { return nil }
    for process in Self.named(in: folder) {
      guard let cell = Cell(group(process)) else { continue }
      if cell.isOccupied { cells[process] = cell } else { rmdir(group(process)) }
    }
  }

  public var processes: Set<ProcessIdentity> { Set(cells.keys) }

  /// The processes that are frozen, with a descriptor each, which is ready with an exceptional condition (`POLLPRI`) when a process leaves.
  public var descriptors: [(process: ProcessIdentity, descriptor: Int32)] { cells.map { ($0.key, $0.value.events) } }

  /// Freezes a process; returns `false` if it is not frozen then.
  public func freeze(_ process: ProcessIdentity) -> Bool {
    if let cell = cells[process], cell.isOccupied { return true }
    cells[process] = nil
    guard cells.count < Self.capacity else { return false }
    // Empty groups may have been removed by the service manager.
    let group = group(process)
    guard Self.make(folder), Self.make(group), let cell = Cell(group),
      // Frozen first, so that what comes in never runs in it.
      Self.write("1", to: group + "/cgroup.freeze"),
      // The descriptor keeps the number from becoming another process's.
      let handle = ProcessHandle(process), Self.write("\(process.processID)", to: group + "/cgroup.procs"),
      !handle.hasEnded, cell.isOccupied
    else {
      _ = Self.write("0", to: group + "/cgroup.freeze")
      empty(group)
      return false
    }
    cells[process] = cell
    return true
  }

  /// Lets a process go on, in a group where nothing is frozen.
  public func release(_ process: ProcessIdentity) {
    cells[process] = nil
    let group = group(process)
    _ = Self.write("0", to: group + "/cgroup.freeze")
    empty(group)
  }

  /// Returns whether a process has left its group, or has ended; its group is removed then.
  public func hasLeft(_ process: ProcessIdentity) -> Bool {
    guard let cell = cells[process], !cell.isOccupied else { return false }
    cells[process] = nil
    rmdir(group(process))
    return true
  }

  /// Moves what is in a group to where nothing is frozen, and removes the group.
  private func empty(_ group: String) {
    let free = folder + "/" + Self.released
    if Self.make(free) {
      for process in Self.lines(of: group + "/cgroup.procs") { _ = Self.write(process, to: free + "/cgroup.procs") }
    }
    rmdir(group)
  }

  private func group(_ process: ProcessIdentity) -> String {
    "\(folder)/\(process.processID)-\(process.startTime)"
  }

  /// Returns the processes after which groups are named.
  private static func named(in folder: String) -> [ProcessIdentity] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var found: [ProcessIdentity] = []
    while let entry = readdir(listing), found.count < capacity {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let pid = Int32(parts[0]), pid > 0, let start = UInt64(parts[1]) else { continue }
      found.append(ProcessIdentity(processID: pid, startTime: start))
    }
    return found
  }

  private static func lines(of path: String) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init) : []
  }

  private static func make(_ folder: String) -> Bool { mkdir(folder, 0o755) == 0 || errno == EEXIST }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
  }
}
