import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// What is wrong with matchers on this machine: whether what they name is there, and is what the system needs.
///
/// Spec: Protocol/13-agent.md §6.
struct MatchersHere {
  /// The SHA-256 of the programs that the system needs, and of the shells; read when it is first asked for.
  private var needed: Set<String>?
  /// The packages that dpkg knows; read when one is first asked for.
  private var packages: Set<String>?
  private let folder: String

  /// Creates the check; `packageFolder` is dpkg's.
  init(packageFolder: String = "/var/lib/dpkg/info") { folder = packageFolder }

  /// Returns what is wrong with a matcher that is a proper one of its kind; `nil` if it can be used.
  mutating func fault(of matcher: AppMatcher, _ hashes: inout HashCache) -> OrderFault.Kind? {
    switch matcher.kind {
    case .path:
      if let name = PackageFiles.program(at: matcher.value)?.split(separator: "/").last,
        NeededPrograms.isNamed(by: name)
      {
        return .neededProgram
      }
      return Self.isAbsent(matcher.value) ? .noProgram : nil
    case .package: return isInstalled(matcher.value) ? nil : .noProgram
    case .sha256:
      if needed == nil {
        needed = Set(NeededPrograms.paths.compactMap { Self.isAbsent($0) ? nil : hashes.digest(of: $0) })
      }
      return needed?.contains(matcher.value) == true ? .neededProgram : nil
    case .flatpak, .argument, .name: return nil
    }
  }

  /// Returns whether nothing is at a path; what cannot be looked at may be there.
  private static func isAbsent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }

  private mutating func isInstalled(_ package: String) -> Bool {
    // Without dpkg's folder nothing is known.
    if Self.isAbsent(folder) { return true }
    let found = packages ?? Set(PackageFiles.lists(in: folder).map(PackageFiles.package))
    packages = found
    return found.contains(package)
  }
}
