import Glibc
import LatchkeySystem

/// The file systems of the machine itself.
///
/// An account may run a program from a file system that it serves itself (FUSE), in its own mounts,
/// and never answer. A process that asks about such a file waits forever. Therefore nothing is
/// asked about files of other file systems. Spec: Protocol/13-agent.md §8.
struct KnownDevices {
  /// The number of a file system's device.
  struct Device: Hashable {
    var major: UInt32
    var minor: UInt32

    /// Reads two numbers that are separated by a colon.
    init?(_ text: some StringProtocol, radix: Int) {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let major = UInt32(parts[0], radix: radix), let minor = UInt32(parts[1], radix: radix)
      else { return nil }
      (self.major, self.minor) = (major, minor)
    }

    /// Splits a device number as `stat` returns it.
    init(_ number: UInt64) {
      major = UInt32(truncatingIfNeeded: (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF)
      minor = UInt32(truncatingIfNeeded: number & 0xFF | (number >> 12) & ~0xFF)
    }
  }

  private var devices: Set<Device> = []
  /// The devices of file systems that the kernel keeps by itself and of the agent's own files, as a
  /// file's status names them.
  private var local: Set<Device> = []
  /// The devices of the agent's own files, as `/proc/PID/maps` names them.
  ///
  /// For an overlay, these are the file systems below it.
  private var below: Set<Device> = []
  /// The device of files in memory, which the kernel keeps for all processes.
  private let memory: Device?

  init() {
    memory = MemoryFile.device.map(Device.init)
    load()
  }

  /// Reads the devices of the file systems mounted for the agent, and of its own files.
  mutating func load() {
    var found = Set([memory].compactMap(\.self))
    local = found
    for mount in Self.mounts("/proc/self/mountinfo") where !mount.kind.hasPrefix("fuse") {
      guard let device = mount.device else { continue }
      found.insert(device)
      if !mount.isServed { local.insert(device) }
    }
    // Where a system runs from an overlay, the kernel names the file systems below it.
    below = []
    var paths: Set<String> = []
    for line in (ProcFile.read("/proc/self/maps", most: 1 << 20) ?? []).split(separator: 0x0A) {
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard fields.count == 6, fields[5].contains(0x2F) else { continue }
      if let device = Device(String(decoding: fields[3], as: UTF8.self), radix: 16) { below.insert(device) }
      paths.insert(String(decoding: fields[5].drop { $0 == 0x20 }, as: UTF8.self))
    }
    // Files of a subvolume or overlay report a different device than their mount.
    for path in paths { if let status = ProcFile.status(path) { local.insert(Device(UInt64(status.st_dev))) } }
    devices = found.union(below)
  }

  /// Returns whether the agent's own files are on a device, as `/proc/PID/maps` names it.
  func holdsOwnFiles(_ device: Device) -> Bool { below.contains(device) }

  /// Returns whether a device, as `/proc/PID/maps` names it, is one of the machine's own.
  func isKnown(_ text: some StringProtocol) -> Bool { Device(text, radix: 16).map(devices.contains) ?? false }

  /// Returns whether a file is on a file system that the kernel keeps by itself, so that reading it
  /// waits for no other program.
  ///
  /// Files of an overlay or a Btrfs subvolume may report a device that no mount has. Such a device
  /// is known if one of the agent's own files is on it.
  func isLocal(_ status: stat) -> Bool { local.contains(Device(UInt64(status.st_dev))) }

  /// Returns whether a process's executable is on one of the machine's own file systems, without
  /// asking that file system.
  ///
  /// `path` is the executable as the kernel shows it, and `folder` the process's folder in /proc.
  func holdsExecutable(_ path: String, of folder: String) -> Bool {
    // The path as the kernel writes it in `maps`.
    let shown = (path.utf8.contains(0x0A) ? path.replacing("\n", with: "\\012") : path).utf8
    // The executable comes first, unless the program has mapped something at a lower address. The
    // kernel writes no more than is read. An executable beyond the last bound counts as being on
    // another file system.
    for most in [512, 8_192, 1 << 18] {
      // A process without memory is about to end.
      guard let bytes = ProcFile.read("\(folder)/maps", most: most), !bytes.isEmpty else { return true }
      if let device = Self.device(of: shown, in: bytes) { return isKnown(device) }
      if bytes.count < most { break }
    }
    return false
  }

  /// Returns the device in the first complete line of `maps` with a path; `nil` for none.
  private static func device(of path: String.UTF8View, in maps: [UInt8]) -> String? {
    var start = 0
    while let end = maps[start...].firstIndex(of: 0x0A) {
      // ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH. The path may contain spaces.
      var (field, place, device) = (0, start, start..<start)
      while field < 5, let space = maps[place..<end].firstIndex(of: 0x20) {
        if field == 3 { device = place..<space }
        (field, place) = (field + 1, space + 1)
      }
      if field == 5, let first = maps[place..<end].firstIndex(where: { $0 != 0x20 }),
        maps[first..<end].elementsEqual(path)
      {
        return String(decoding: maps[device], as: UTF8.self)
      }
      start = end + 1
    }
    return nil
  }

  /// Returns whether a file at the root of a process's own view can be read without waiting.
  func canRead(_ file: String, atRootOf folder: String) -> Bool {
    let mounts = Self.mounts("\(folder)/mountinfo").filter { $0.place == "/" || $0.place == file }
    return !mounts.isEmpty
      && mounts.allSatisfy { mount in
        mount.kind == "tmpfs" || !mount.kind.hasPrefix("fuse") && mount.device.map(devices.contains) == true
      }
  }

  private static func mounts(_ path: String) -> [MountTable.Mount] {
    MountTable.parse(ProcFile.read(path, most: 1 << 20) ?? [])
  }
}
