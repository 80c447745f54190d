import Glibc
import LatchkeySystem

/// The Flatpak that a process belongs to.
///
/// Spec: Protocol/13-agent.md §8.
struct FlatpakPlace {
  /// Where the system installs Flatpaks.
  private static let installed = "/var/lib/flatpak/app/"

  let id: String
  /// A Boolean value that indicates whether the executable belongs to that Flatpak as the system
  /// installed it.
  let isGenuine: Bool

  /// Finds the Flatpak of a process; `nil` if it belongs to none.
  ///
  /// - Parameters:
  ///   - path: The path of the executable as the kernel shows it.
  ///   - program: The executable's file; `nil` if it must not be examined.
  ///   - folder: The process's folder in /proc.
  ///   - devices: The file systems that may be examined.
  ///   - mounts: The machine's mounts.
  init?(path: String, _ program: ProgramPlace?, folder: String, _ devices: KnownDevices, _ mounts: MountTable) {
    // A file of a Flatpak that runs outside the sandbox: of the system's Flatpak, or of one in a
    // home.
    if let id = Self.installed(path) {
      self.id = id
      isGenuine = path.hasPrefix(Self.installed) && program.map(Self.isSystems) == true
      return
    }
    // Inside the sandbox, including programs of the runtime, such as an interpreter.
    let isInside = path.hasPrefix("/app/")
    guard isInside || MountNamespace.isOther(in: folder), devices.canRead("/.flatpak-info", atRootOf: folder),
      let id = Self.stated(in: folder)
    else { return nil }
    self.id = id
    let place = "\(Self.installed)\(id)/current/active/files/\(path.dropFirst(5))"
    isGenuine =
      isInside && !id.contains("/")
      && program.map { Self.isSystems(ProgramPlace(path: place, status: $0.status, mounts)) } == true
  }

  /// Returns the ID of the Flatpak that a path belongs to: …/flatpak/app/ID/…/files/….
  private static func installed(_ path: String) -> String? {
    let parts = path.utf8.split(separator: 0x2F)
    func isPart(_ place: Int, _ name: String) -> Bool { parts[place].elementsEqual(name.utf8) }
    guard let place = parts.indices.dropLast(3).first(where: { isPart($0, "flatpak") && isPart($0 + 1, "app") }),
      parts.indices.dropFirst(place + 3).dropLast().contains(where: { isPart($0, "files") })
    else { return nil }
    return String(parts[place + 2])
  }

  private static func isSystems(_ program: ProgramPlace) -> Bool {
    program.isGenuine && !program.isForeign && program.status.st_uid == 0
  }

  /// Returns the ID that the process's own view of the files states.
  ///
  /// A link is not followed. It could lead to a file system that the account serves itself, or to
  /// any of root's files.
  private static func stated(in folder: String) -> String? {
    guard let bytes = ProcFile.readForeign("\(folder)/root/.flatpak-info", most: 16_384) else {
      return nil
    }
    for line in bytes.split(separator: 0x0A) where line.starts(with: Array("name=".utf8)) {
      return String(decoding: line.dropFirst(5), as: UTF8.self)
    }
    return nil
  }
}

/// The mount namespaces of processes, which show whether a process is in a sandbox.
///
/// Spec: Protocol/13-agent.md §8.
enum MountNamespace {
  /// The namespaces of programs outside any sandbox: that of the system's first process, and the
  /// agent's own, which its service manager creates.
  private static let usual = Set(["/proc/1/ns/mnt", "/proc/self/ns/mnt"].compactMap { ProcFile.link($0) })

  /// Returns whether a process, given its folder in /proc, may see other files than the machine's.
  static func isOther(in folder: String) -> Bool {
    ProcFile.link("\(folder)/ns/mnt").map { !usual.contains($0) } ?? false
  }
}
