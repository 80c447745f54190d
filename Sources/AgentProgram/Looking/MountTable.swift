import Glibc
import LatchkeySystem

/// The machine's mounts, as its first process sees them, and which of them are foreign disks.
///
/// A person at the screen may mount a disk or an image without being root (udisks). Every file on
/// it can be owned by root although the person has made it. Such mounts have the options `nosuid`
/// and `nodev`, and are not in `/etc/fstab`. Spec: Protocol/13-agent.md §8.
struct MountTable {
  struct Mount: Equatable {
    /// The number of the file system's device, as `/proc/PID/maps` names it.
    var device: KnownDevices.Device?
    var place: String
    /// The kind of file system.
    var kind: String
    /// A Boolean value that indicates whether another user may have created files there that root
    /// owns.
    var isForeign: Bool

    /// A Boolean value that indicates whether another machine or program serves it, so that any
    /// request may take forever.
    var isServed: Bool { kind.hasPrefix("fuse") || Self.served.contains { kind.hasPrefix($0) } }

    /// The types of file systems that others serve, besides those that begin with `fuse`.
    private static let served = [
      "9p", "afs", "autofs", "ceph", "cifs", "coda", "lustre", "nfs", "orangefs", "smb", "vboxsf", "virtiofs",
    ]

    func holds(_ path: some StringProtocol) -> Bool {
      let (place, path) = (place.utf8, path.utf8)
      return place.count == 1
        || path.starts(with: place) && (path.count == place.count || path.dropFirst(place.count).first == 0x2F)
    }
  }

  /// The mount lists of the first process and of the agent, kept open since they signal changes.
  private final class Changes {
    private var wanted: [pollfd]

    init() {
      wanted = ["/proc/1/mountinfo", "/proc/self/mountinfo"].map { (list: String) in
        pollfd(fd: open(list, O_RDONLY | O_CLOEXEC), events: Int16(POLLPRI), revents: 0)
      }
    }

    deinit { for list in wanted where list.fd >= 0 { close(list.fd) } }

    /// Returns whether anything was mounted or unmounted since the last call.
    func areThere() -> Bool { poll(&wanted, nfds_t(wanted.count), 0) > 0 }
  }

  /// The most folders whose mount is remembered.
  private static let capacity = 4_096

  private(set) var mounts: [Mount] = []
  /// The mounts by their places, and by the folders that were looked up.
  private var byPlace: [String: Mount] = [:]
  private var byFolder: [String: Mount] = [:]
  private let changes = Changes()
  /// The devices of the machine's own mounts, as the mounts and their files report them.
  private var own: Set<KnownDevices.Device> = []
  private var bytes: [UInt8] = []

  /// The device of the root file system, which stays mounted while the machine runs.
  private let root = ProcFile.status("/").map { UInt64($0.st_dev) }

  /// A Boolean value that indicates whether mounts have changed since this was read last.
  var hasChanged: Bool { changes.areThere() }

  /// Returns whether the mounts have changed in a way that may concern the files of a device.
  func mayChange(_ device: UInt64) -> Bool { device != root && hasChanged }

  /// Reads the table, and returns whether it has changed.
  ///
  /// It reads the first process's mounts, since the service manager gives the agent's own mounts
  /// other options. Without access to them, it reads its own.
  mutating func load() -> Bool {
    let new = ProcFile.read("/proc/1/mountinfo", most: 1 << 20) ?? ProcFile.read("/proc/self/mountinfo", most: 1 << 20)
    guard let new, new != bytes else { return false }
    bytes = new
    take(Self.parse(new, configured: Self.configured(ProcFile.read("/etc/fstab", most: 1 << 16) ?? [])))
    return true
  }

  /// Replaces the mounts, and looks up the device of the files on those that are not foreign.
  mutating func take(_ mounts: [Mount]) {
    self.mounts = mounts
    (own, byFolder) = ([], [:])
    // A later mount at the same place hides the earlier one.
    byPlace = Dictionary(mounts.map { ($0.place, $0) }) { _, last in last }
    for mount in mounts where !mount.isForeign {
      if let device = mount.device { own.insert(device) }
      // On Btrfs, files report a different device than their mount.
      guard !mount.isServed, let status = ProcFile.status(mount.place) else { continue }
      own.insert(KnownDevices.Device(UInt64(status.st_dev)))
    }
  }

  func mount(of path: some StringProtocol) -> Mount? {
    var found: Mount?
    for mount in byPlace.values where mount.place.utf8.count > found?.place.utf8.count ?? 0 && mount.holds(path) {
      found = mount
    }
    return found
  }

  /// Returns whether another user may have put a file there although root owns it.
  ///
  /// `isGenuine` indicates whether the path leads to the same file in the agent's own view.
  func isForeign(_ path: String, device: UInt64, isGenuine: Bool) -> Bool {
    if own.contains(KnownDevices.Device(device)) { return false }
    // A subvolume of the machine's own disk has a device that no mount has.
    return !isGenuine || mount(of: path)?.isForeign ?? true
  }

  /// Returns whether a device, as files report it, is one of the machine's own mounts.
  func isOwn(_ device: UInt64) -> Bool { own.contains(KnownDevices.Device(device)) }

  /// Returns whether a path is on the file system with a device, as `/proc/PID/maps` names it.
  ///
  /// For an overlay, the kernel names the file systems below it. `isBelow` recognizes these.
  mutating func isThere(_ path: String, device: KnownDevices.Device, isBelow: (KnownDevices.Device) -> Bool) -> Bool {
    guard let mount = byPlace[path] ?? mount(ofFolderOf: path) else { return false }
    return mount.device == device || mount.kind == "overlay" && isBelow(device)
  }

  /// Returns the mount of a file's folder, which is the file's own unless one is on the file.
  private mutating func mount(ofFolderOf path: String) -> Mount? {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    if let known = byFolder[folder] { return known }
    let found = mount(of: folder.isEmpty ? "/" : folder)
    if byFolder.count >= Self.capacity { byFolder = [:] }
    byFolder[folder] = found
    return found
  }

  /// Reads the lines of `mountinfo`; `configured` are the places of root's configured mounts.
  static func parse(_ bytes: [UInt8], configured: Set<String> = []) -> [Mount] {
    bytes.split(separator: 0x0A).compactMap { line in
      // ID PARENT DEVICE ROOT PLACE OPTIONS … - KIND SOURCE OPTIONS
      let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      guard words.count > 6, let dash = words.dropFirst(6).firstIndex(of: "-"), dash + 1 < words.count else {
        return nil
      }
      let options = words[5].split(separator: ",")
      let place = unescaped(words[4])
      return Mount(
        device: KnownDevices.Device(words[2], radix: 10), place: place, kind: words[dash + 1],
        isForeign: options.contains("nosuid") && options.contains("nodev") && !configured.contains(place))
    }
  }

  /// Returns the places in `/etc/fstab`, except those where every user may mount something.
  static func configured(_ bytes: [UInt8]) -> Set<String> {
    var places: Set<String> = []
    for line in bytes.split(separator: 0x0A) {
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count >= 4, words[0].first != "#" else { continue }
      let options = Set(words[3].split(separator: ","))
      guard options.isDisjoint(with: ["user", "users", "owner", "group"]) else { continue }
      places.insert(unescaped(String(words[1])))
    }
    return places
  }

  /// Returns a place without the kernel's escapes: a backslash and three octal digits.
  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(0x5C) else { return text }
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == 0x5C, digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
