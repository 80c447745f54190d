import Glibc
import LatchkeySystem

/// The class or archive that a Java virtual machine runs, with its arguments, even if these are in
/// a file (`java @FILE`).
///
/// The virtual machine writes it to a file of the child's, so it is weak evidence.
///
/// Spec: Protocol/13-agent.md §8.
struct JavaCommand {
  /// The largest file that is read, in bytes.
  private static let mostBytes = 65_536
  /// `O_PATH`, which the header declares only to programs that ask for more than POSIX.
  private static let onlyNames: Int32 = 0o10_000_000
  private static let name = Array("sun.rt.javaCommand".utf8) + [0]

  /// Returns whether an executable is a Java virtual machine, by its name.
  static func isShown(by path: String) -> Bool { path.hasSuffix("/java") || path.hasSuffix("/javaw") }

  /// Returns the command of the virtual machine in a process; `nil` if there is none.
  ///
  /// The system agent has its own `/tmp`, so it looks into that of the first process.
  static func read(of pid: Int32, _ account: UInt32, named name: String) -> String? {
    guard !name.contains("/") else { return nil }
    let bytes = ["/proc/1/root/tmp", "/tmp"].lazy.compactMap {
      Self.bytes(in: $0, "hsperfdata_" + name, String(pid), account)
    }.first
    return bytes.flatMap(command)
  }

  /// Returns the content of a regular file in a folder, both owned by the account and in the file
  /// system of `root`.
  ///
  /// Nothing is opened in a file system that a program serves.
  private static func bytes(in root: String, _ folder: String, _ file: String, _ account: UInt32) -> [UInt8]? {
    let base = Glibc.open(root, onlyNames | O_DIRECTORY | O_CLOEXEC)
    guard base >= 0 else { return nil }
    defer { close(base) }
    let place = openat(base, folder, onlyNames | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard place >= 0 else { return nil }
    defer { close(place) }
    let shown = openat(place, file, onlyNames | O_NOFOLLOW | O_CLOEXEC)
    guard shown >= 0 else { return nil }
    defer { close(shown) }
    let statuses = [base, place, shown].compactMap { ProcFile.knownStatus("/proc/self/fd/\($0)") }
    guard statuses.count == 3, Set(statuses.map(\.st_dev)).count == 1, statuses[1].st_uid == account,
      statuses[2].st_uid == account, statuses[2].st_mode & S_IFMT == S_IFREG, statuses[2].st_size <= mostBytes
    else { return nil }
    return ProcFile.read("/proc/self/fd/\(shown)", most: mostBytes)
  }

  /// Returns the value of `sun.rt.javaCommand` in a virtual machine's performance data, which is in
  /// this machine's byte order.
  ///
  /// Words 0, 1, 2 and 4 of an entry are its size, the offset of its name, the size of its value
  /// and the offset of its value.
  static func command(in bytes: [UInt8]) -> String? {
    guard let name = bytes.firstRange(of: Self.name) else { return nil }
    func word(_ place: Int) -> Int? {
      guard place >= 0, place + 4 <= bytes.count else { return nil }
      return Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) })
    }
    // The name follows five words.
    let entry = name.lowerBound - 20
    guard entry >= 0, word(entry + 4) == 20, let size = word(entry + 8), let start = word(entry + 16),
      size <= mostBytes,
      start <= mostBytes, entry + start + size <= bytes.count
    else { return nil }
    let value = bytes[(entry + start)..<(entry + start + size)].prefix { $0 != 0 }
    return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
  }
}
