import CProcess
import Glibc

/// The confinement of a process to the files that it needs, by the kernel's Landlock.
///
/// It needs no rights, no namespaces and no systemd, and cannot be lifted. It forbids as well to
/// look into programs outside, such as their memory, and from Landlock 6 on to signal them, and to
/// connect to sockets with abstract names. It does not forbid to connect to sockets with paths.
public enum FileConfinement {
  public enum Access: Sendable {
    case read
    /// Also to run programs.
    case run
    case write

    /// The bits of `LANDLOCK_ACCESS_FS_…`.
    fileprivate var bits: UInt64 {
      switch self {
      case .read: 1 << 2 | 1 << 3
      case .run: 1 << 0 | 1 << 2 | 1 << 3
      case .write: ~(1 << 0)
      }
    }
  }

  /// A file, or a folder with everything in it.
  public struct Rule: Sendable {
    var path: String
    var access: Access

    public init(_ path: String, _ access: Access) { (self.path, self.access) = (path, access) }
  }

  public enum Outcome: Hashable, Sendable {
    case confined
    /// The kernel has no Landlock, or one that would keep files from being moved between folders.
    case unavailable
    /// The kernel has refused it, with the number of its error.
    case failed(Int32)
  }

  /// A Boolean value that indicates whether the kernel can do it.
  public static var isAvailable: Bool { latchkey_landlock_version() >= 2 }

  /// Confines the calling thread, and the threads and programs it starts, to what rules permit.
  ///
  /// A process calls it before it has started a thread. A path that is not there is left out.
  public static func confine(to rules: [Rule]) -> Outcome {
    guard isAvailable else { return .unavailable }
    let version = latchkey_landlock_version()
    // Files can be cut by their path from version 3 on; before, that is not handled.
    let handled: UInt64 = (1 << 14) - 1 | (version >= 3 ? 1 << 14 : 0)
    let set = latchkey_landlock_open(handled, version >= 6 ? 3 : 0)
    guard set >= 0 else { return .failed(errno) }
    defer { close(set) }
    for rule in rules where latchkey_landlock_permit(set, rule.path, rule.access.bits & handled) != 0 {
      guard errno == ENOENT || errno == ENOTDIR || errno == EACCES else { return .failed(errno) }
    }
    return latchkey_landlock_enforce(set) == 0 ? .confined : .failed(errno)
  }

  /// The rules by which this program, and those of the system, can run: their code, settings that
  /// everybody may read, and what the kernel tells of processes.
  public static var programs: [Rule] {
    let folders = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"].map { Rule($0, .run) }
    // Also a program that stands elsewhere, with its libraries.
    let maps = ProcFile.text("/proc/self/maps", most: 4 << 20) ?? ""
    let mapped = Set(
      maps.split(separator: "\n").compactMap { line -> String? in line.firstIndex(of: "/").map { String(line[$0...]) } }
    )
    let devices = ["/dev/null", "/dev/zero", "/dev/full"].map { Rule($0, .write) }
    let random = ["/dev/random", "/dev/urandom"].map { Rule($0, .read) }
    return folders + mapped.sorted().map { Rule($0, .run) } + [Rule("/etc", .read), Rule("/proc", .read)] + devices
      + random
  }
}
