import Glibc
import LatchkeyModel

/// The control groups, owned by root, in which other users' processes are frozen.
///
/// Each process has its own group, which is named after it and outlives this program. The owner of
/// the process can neither thaw it nor move it out. If the system's first process moves it out for
/// the owner, the kernel reports this immediately. Spec: Protocol/13-agent.md §12.
public final class ProcessJail {
  /// The most processes that are frozen at the same time.
  public static let capacity = 1_024
  /// The group of processes that were released.
  private static let released = "released"

  public let folder: String
  private var cells: [ProcessIdentity: Cell] = [:]

  private final class Cell {
    /// The file that signals when the last process leaves the group.
    let events: Int32
    init?(_ group: String) {
      events = open(group + "/cgroup.events", O_RDONLY | O_CLOEXEC)
      guard events >= 0 else { return nil }
    }
    deinit { close(events) }

    /// A Boolean value that indicates whether it contains a process; reading rearms the descriptor.
    var isOccupied: Bool {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = pread(events, &bytes, bytes.count, 0)
      return count > 0 && String(decoding: bytes[..<count], as: UTF8.self).contains("populated 1")
    }
  }

  /// Creates a jail in a folder of version 2 control groups, and takes over the processes that an
  /// earlier run froze there.
  ///
  /// The result is `nil` if processes cannot be frozen, which is tested with a new group.
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

  /// The frozen processes, each with a descriptor that signals an exceptional condition (`POLLPRI`)
  /// when the process leaves its group.
  public var descriptors: [(process: ProcessIdentity, descriptor: Int32)] { cells.map { ($0.key, $0.value.events) } }

  public func freeze(_ process: ProcessIdentity) -> Bool {
    if let cell = cells[process], cell.isOccupied { return true }
    cells[process] = nil
    guard cells.count < Self.capacity else { return false }
    // The service manager may have removed empty groups.
    let group = group(process)
    guard Self.make(folder), Self.make(group), let cell = Cell(group),
      // The group is frozen first, so that a process never runs in it.
      Self.write("1", to: group + "/cgroup.freeze"),
      // The descriptor ensures that the number still belongs to the process.
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

  /// Resumes a process by moving it to a group that is not frozen.
  public func release(_ process: ProcessIdentity) {
    cells[process] = nil
    let group = group(process)
    _ = Self.write("0", to: group + "/cgroup.freeze")
    empty(group)
  }

  /// Returns whether a process has left its group or ended, and if so, removes the group.
  public func hasLeft(_ process: ProcessIdentity) -> Bool {
    guard let cell = cells[process], !cell.isOccupied else { return false }
    cells[process] = nil
    rmdir(group(process))
    return true
  }

  /// Moves the processes of a group to one that is not frozen, and removes the group.
  private func empty(_ group: String) {
    let free = folder + "/" + Self.released
    if Self.make(free) {
      // One read, in which the kernel cuts no number off.
      let processes = String(decoding: ProcFile.line(group + "/cgroup.procs") ?? [], as: UTF8.self)
      for process in processes.split(separator: "\n") { _ = Self.write(String(process), to: free + "/cgroup.procs") }
    }
    rmdir(group)
  }

  private func group(_ process: ProcessIdentity) -> String { "\(folder)/\(process.processID)-\(process.startTime)" }

  /// Returns the processes that groups are named after.
  private static func named(in folder: String) -> [ProcessIdentity] {
    let found = (ProcFile.names(in: folder) ?? []).lazy.compactMap { name -> ProcessIdentity? in
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let pid = Int32(parts[0]), pid > 0, let start = UInt64(parts[1]) else { return nil }
      return ProcessIdentity(processID: pid, startTime: start)
    }
    return Array(found.prefix(capacity))
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
