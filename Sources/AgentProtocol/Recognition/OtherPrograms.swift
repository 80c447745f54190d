import LatchkeyModel

/// The recognition of other programs: installed, or run from a terminal, and not named by any rule.
///
/// Desktop programs are never among them, whatever they are installed with. Spec:
/// Protocol/13-agent.md §8.
struct OtherPrograms: Sendable {
  /// The packages with menu entries and without rules.
  private(set) var packages: Set<String> = []
  /// The programs of menu entries without rules.
  private(set) var paths: Set<String> = []
  /// The folders of those programs alone, from which a script starts other programs.
  private var folders: Set<String> = []
  /// Folders that hold many programs.
  static let shared: Set<String> = [
    "/bin", "/sbin", "/lib", "/usr/bin", "/usr/sbin", "/usr/games", "/usr/lib", "/usr/libexec", "/usr/share",
    "/usr/local", "/usr/local/bin", "/usr/local/sbin", "/usr/local/games", "/usr/local/lib", "/usr/local/share", "/opt",
    "/opt/bin", "/srv", "/home", "/var", "/var/lib", "/usr", "/",
  ]

  /// The folders of the system's own programs.
  private static let system = ["/usr/", "/bin/", "/sbin/", "/lib", "/etc/"]
  /// The folders in which there are no desktop programs.
  private static let places = ["/snap/", "/var/lib/flatpak/", "/usr/games/", "/usr/local/", "/opt/"]

  /// Creates a table of the matchers in orders.
  init(_ matchers: [AppMatcher]) {
    for matcher in matchers {
      switch matcher.kind {
      case .package where !NeededPrograms.contains(package: matcher.value): packages.insert(matcher.value)
      case .path:
        paths.insert(matcher.value)
        let folder = String(matcher.value[..<(matcher.value.lastIndex(of: "/") ?? matcher.value.startIndex)])
        if !folder.isEmpty, !Self.shared.contains(folder) { folders.insert(folder + "/") }
      case .package, .flatpak, .sha256, .argument, .name, .snap: break
      }
    }
  }

  /// Returns whether a process without an application is one of these programs.
  func match(_ facts: ProcessFacts) -> Bool {
    guard let image = facts.images.first else { return false }
    // In its own mounts, a child can give any program any name. The name counts only in the agent's
    // own view.
    if image.isHidden || image.isForeign || facts.hasChildsCode { return true }
    if NeededPrograms.isShell(image.name), facts.isFromTerminal, let script = facts.script {
      return !ScriptInterpreters.isOfSystem(script)
    }
    if NeededPrograms.isOfDesktop(image.name) { return false }
    if facts.isFromTerminal || facts.flatpak != nil { return true }
    // The loader in front of an interpreter hides it: nothing that a desktop needs is started so.
    if image.isLoader || !Self.system.contains(where: image.path.hasPrefix) { return true }
    if ScriptInterpreters.contains(image.name), runsOther(facts) { return true }
    return facts.images.contains { image in
      !packages.isDisjoint(with: image.packages) || !packages.isDisjoint(with: image.copiedPackages)
        || paths.contains(image.path) || !paths.isDisjoint(with: image.copiedPaths)
        || !image.isHidden
          && (Self.places.contains(where: image.path.hasPrefix) || folders.contains(where: image.path.hasPrefix))
    }
  }

  /// Returns whether root has installed everything that decides what a process does.
  static func isInstalled(_ facts: ProcessFacts) -> Bool {
    guard let image = facts.images.first, !image.isHidden, !image.isForeign, !image.isLoader, !facts.hasChildsCode
    else { return false }
    guard ScriptInterpreters.tellsScript(image.name) else { return true }
    return facts.script.map(ScriptInterpreters.isInstalled) == true
  }

  /// Returns whether a process is the program of a menu entry itself, not one that comes with it.
  func isEntry(_ facts: ProcessFacts) -> Bool {
    facts.images.first.map { !$0.isHidden && paths.contains($0.path) } == true
  }

  /// Returns whether an interpreter runs a script that is not the system's, or of a menu entry.
  private func runsOther(_ facts: ProcessFacts) -> Bool {
    guard let script = facts.script else { return true }
    return !ScriptInterpreters.isOfSystem(script) || paths.contains(script) || folders.contains(where: script.hasPrefix)
  }
}
