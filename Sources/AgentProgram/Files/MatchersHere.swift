import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// A check of matchers against this machine: whether the program that they name exists, and whether
/// it is a needed program (Protocol/13-agent.md §6).
struct MatchersHere {
  /// The paths of the needed programs and shells that exist, read at the first use.
  private lazy var needed = NeededPrograms.paths.filter { !Self.isAbsent($0) }
  /// The SHA-256 of these files, as far as they are known.
  private var digests: Set<String>?
  /// A Boolean value that indicates whether a SHA-256 was checked before all of these were known.
  private(set) var awaitsDigests = false
  /// The names of each package's file lists in dpkg's folder, by package.
  private lazy var lists = Dictionary(
    DebianPackages.lists(in: folder).map { ($0.package, [$0.file]) }, uniquingKeysWith: +)
  private let folder: String

  init(packageFolder: String = "/var/lib/dpkg/info") { folder = packageFolder }

  /// Returns the fault of a matcher that is well formed; `nil` if it can be used.
  mutating func fault(of matcher: AppMatcher, _ hashes: inout HashCache) -> OrderFault.Kind? {
    let value = matcher.value
    switch matcher.kind {
    case .path:
      if needed.contains(PackageFiles.program(at: value) ?? value) { return .neededProgram }
      return Self.isHidden(value) || !Self.isAbsent(value) ? nil : .noProgram
    case .package: return package(value)
    case .sha256: return digests(&hashes).contains(value) ? .neededProgram : nil
    case .argument: return NeededPrograms.isFitted(value, to: needed) ? .neededProgram : nil
    case .name: return needed.contains { $0.hasSuffix("/" + value) } ? .neededProgram : nil
    case .flatpak: return nil
    case .snap: return Self.isAbsent("/snap/" + value) ? .noProgram : nil
    }
  }

  private mutating func digests(_ hashes: inout HashCache) -> Set<String> {
    if let digests { return digests }
    let found = needed.map { hashes.digest(of: $0) }
    // Large files are read later.
    awaitsDigests = found.contains(nil)
    let known = Set(found.compactMap(\.self))
    digests = known
    return known
  }

  /// Returns the fault of a package that is not installed, or contains a needed program.
  private mutating func package(_ name: String) -> OrderFault.Kind? {
    // Without dpkg's folder, nothing is known about packages.
    if Self.isAbsent(folder) { return nil }
    var isThere = false
    for list in lists[name] ?? [] {
      guard let paths = DebianPackages.paths(in: "\(folder)/\(list)") else { return nil }
      for path in paths {
        if needed.contains(path) || needed.contains("/usr" + path) { return .neededProgram }
        // dpkg keeps those files of a removed package that an administrator may have changed.
        if !isThere, !path.hasPrefix("/etc/"), Self.isFile(path) { isThere = true }
      }
    }
    return isThere ? nil : .noProgram
  }

  /// Returns whether a path may exist for programs although it does not exist for the agent: in a
  /// Flatpak's sandbox, or in a home that is mounted at log-in.
  private static func isHidden(_ path: String) -> Bool {
    if path.hasPrefix("/app/") { return true }
    let parts = path.split(separator: "/")
    return parts.first == "home" && parts.count > 2 && isAbsent("/home/\(parts[1])")
  }

  /// Returns whether nothing exists at a path; a path that cannot be examined counts as existing.
  private static func isAbsent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }
}
