import Glibc
import LatchkeyAgent

/// The Flatpak to which a process belongs.
///
/// Spec: Protocol/13-agent.md §8.
struct FlatpakPlace {
  /// Where the system installs Flatpaks.
  private static let installed = "/var/lib/flatpak/app/"

  /// The Flatpak's ID.
  let id: String
  /// A Boolean value that indicates whether the executable is a file of that Flatpak as the system installed it.
  let isGenuine: Bool

  /// Finds it for the executable of a process, whose folder in /proc is given; `nil` if there is none.
  init?(of program: ProgramPlace, folder: String, _ devices: KnownDevices) {
    if program.path.hasPrefix("/app/") {
      guard devices.canRead("/.flatpak-info", atRootOf: folder), let id = Self.stated(in: folder) else { return nil }
      self.id = id
      let path = "\(Self.installed)\(id)/current/active/files/\(program.path.dropFirst(5))"
      isGenuine = !id.contains("/") && Self.isSystems(ProgramPlace(path: path, status: program.status))
      return
    }
    // A file of a Flatpak that is run without its sandbox: the system's, or one in a home.
    guard let found = program.path.firstRange(of: "/flatpak/app/"),
      program.path[found.upperBound...].contains("/files/"),
      let id = program.path[found.upperBound...].split(separator: "/").first
    else { return nil }
    self.id = String(id)
    isGenuine = program.path.hasPrefix(Self.installed) && Self.isSystems(program)
  }

  private static func isSystems(_ program: ProgramPlace) -> Bool { program.isGenuine && program.status.st_uid == 0 }

  /// Returns the ID that the process's own view of the files states.
  private static func stated(in folder: String) -> String? {
    guard let bytes = ProcFile.read("\(folder)/root/.flatpak-info", most: 16_384) else { return nil }
    for line in bytes.split(separator: 0x0A) where line.starts(with: Array("name=".utf8)) {
      return String(decoding: line.dropFirst(5), as: UTF8.self)
    }
    return nil
  }
}
