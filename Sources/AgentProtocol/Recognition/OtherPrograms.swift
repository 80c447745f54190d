import LatchkeyModel

/// What recognizes the programs that are installed, or run from a terminal, and that no rule names.
///
/// What a desktop or accessibility needs is none of them, whatever it is installed with.
///
/// Spec: Protocol/13-agent.md §8.
struct OtherPrograms: Sendable {
  /// The packages that have entries in menus, and have no rules.
  private(set) var packages: Set<String> = []
  /// The programs of entries in menus that have no rules.
  private(set) var paths: Set<String> = []
  /// The folders of those programs that have one of their own: a script starts others from there.
  private var folders: Set<String> = []
  /// Folders that hold many programs.
  private static let shared: Set<String> = [
    "/bin", "/sbin", "/lib", "/usr/bin", "/usr/sbin", "/usr/games", "/usr/lib", "/usr/libexec", "/usr/share",
    "/usr/local",
    "/usr/local/bin", "/usr/local/sbin", "/usr/local/games", "/usr/local/lib", "/usr/local/share", "/opt", "/opt/bin",
    "/srv",
    "/home", "/var", "/var/lib", "/usr", "/",
  ]

  /// The folders of the system's own programs.
  private static let system = ["/usr/", "/bin/", "/sbin/", "/lib", "/etc/"]
  /// The folders in which there is nothing that a desktop needs.
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

  /// Returns whether a process is one of these programs, which no application of its own recognizes.
  func match(_ facts: ProcessFacts) -> Bool {
    guard let image = facts.images.first else { return false }
    // In mounts of its own, a child gives any program any name: it counts only where it is the agent's own view's as well.
    if image.isHidden || image.isForeign || facts.hasChildsCode { return true }
    if NeededPrograms.isShell(image.name), facts.isFromTerminal, let script = facts.script {
      return !ScriptInterpreters.isOfSystem(script)
    }
    if NeededPrograms.isOfDesktop(image.name) { return false }
    if facts.isFromTerminal || facts.flatpak != nil { return true }
    if !Self.system.contains(where: image.path.hasPrefix) { return true }
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
    guard let image = facts.images.first, !image.isHidden, !image.isForeign, !facts.hasChildsCode else { return false }
    guard ScriptInterpreters.tellsScript(image.name) else { return true }
    return facts.script.map(ScriptInterpreters.isInstalled) == true
  }

  /// Returns whether a process is what an entry in a menu starts, without what comes with it.
  func isEntry(_ facts: ProcessFacts) -> Bool {
    facts.images.first.map { !$0.isHidden && paths.contains($0.path) } == true
  }

  /// Returns whether an interpreter runs something that is no part of the system, or that an entry in a menu names.
  private func runsOther(_ facts: ProcessFacts) -> Bool {
    guard let script = facts.script else { return true }
    return !ScriptInterpreters.isOfSystem(script) || paths.contains(script) || folders.contains(where: script.hasPrefix)
  }
}
