import LatchkeyModel

/// The facts about a process that an agent has read from the kernel (Protocol/13-agent.md §8).
public struct ProcessFacts: Hashable, Sendable {
  /// A file whose code a process runs: its executable, or one that it has mapped.
  public struct Image: Hashable, Sendable {
    /// The path, as the kernel shows it.
    public let path: String
    /// The last part of the path.
    public let name: Substring
    /// The SHA-256, 64 lower-case hexadecimal digits; `nil` if it was not read.
    public var sha256: String?
    /// The Debian packages that the file belongs to, of those that orders name.
    public var packages: Set<String>
    /// The snap that the file belongs to, if it is at its own place and root's; otherwise `nil`.
    public var snap: String?
    /// The Debian packages with a program that it is a copy of, of those that orders name.
    public var copiedPackages: Set<String>
    /// The paths in orders whose program it is a copy of.
    public var copiedPaths: Set<String>
    /// A Boolean value that indicates whether it is a copy of a shell or an interpreter.
    public var isInterpreterCopy: Bool
    /// A Boolean value that indicates whether its path leads elsewhere in the agent's own view.
    public var isHidden: Bool
    /// A Boolean value that indicates whether it is on a foreign disk, which may change unnoticed.
    public var isForeign: Bool

    public init(
      path: String, sha256: String? = nil, packages: Set<String> = [], snap: String? = nil,
      copiedPackages: Set<String> = [], copiedPaths: Set<String> = [], isInterpreterCopy: Bool = false,
      isHidden: Bool = false, isForeign: Bool = false
    ) {
      self.path = path
      name = path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
      (self.sha256, self.packages, self.snap, self.copiedPackages) = (sha256, packages, snap, copiedPackages)
      (self.copiedPaths, self.isInterpreterCopy) = (copiedPaths, isInterpreterCopy)
      (self.isHidden, self.isForeign) = (isHidden, isForeign)
    }

    /// A Boolean value that indicates whether it runs what its arguments name, as the loader does.
    public var isLoader: Bool { ScriptInterpreters.isLoader(name) }
  }

  public var identity: ProcessIdentity
  /// The number of its parent when it was first seen; 0 if unknown.
  public var parent: Int32
  public var account: UInt32
  public var startedAt: BootInstant
  /// The name that it gave itself, at most 15 bytes.
  public var name: String
  /// Its arguments with one space between two.
  public var arguments: String
  public var hasMoreArguments: Bool
  /// The path of the script that its arguments name for an interpreter; `nil` for none.
  public var script: String?
  /// The absolute path of a script that its arguments name by a relative path; `nil` for none.
  ///
  /// It decides nothing but by which argument a parent can allow the script.
  public var scriptPlace: String?
  /// The absolute path of the script that it runs for certain; `nil` if it may run anything else.
  ///
  /// Only by this does an argument spare an interpreter or a shell.
  public var certainScript: String?
  /// The executable, followed by other files that it has mapped as code.
  public var images: [Image]
  /// The Flatpak that it runs in, according to itself.
  public var flatpak: String?
  /// A Boolean value that indicates whether the system installed its executable with that Flatpak.
  public var isGenuineFlatpak: Bool
  /// A Boolean value that indicates whether the account can write to the place of its executable,
  /// or of the program that it loads.
  public var isFromWritablePlace: Bool
  public var hasWritableExecutable: Bool
  /// A Boolean value that indicates whether it has mapped other code that the account can write.
  public var hasChildsCode: Bool
  /// A Boolean value that indicates whether a person runs it from a terminal on a desktop and it is
  /// not a shell.
  public var isFromTerminal: Bool
  /// The addresses of its program's code and stack, which differ for each start of a program; `nil`
  /// if the kernel hides them.
  public var programPlace: [UInt64]?
  /// A Boolean value that indicates whether it is a protected process: the agent, the node, their
  /// ancestors, or a needed program.
  public var isProtected: Bool

  public init(
    identity: ProcessIdentity, parent: Int32 = 0, account: UInt32, startedAt: BootInstant, name: String,
    arguments: String = "", hasMoreArguments: Bool = false, script: String? = nil, scriptPlace: String? = nil,
    certainScript: String? = nil, images: [Image], flatpak: String? = nil, isGenuineFlatpak: Bool = false,
    isFromWritablePlace: Bool = false, hasWritableExecutable: Bool? = nil, hasChildsCode: Bool = false,
    isFromTerminal: Bool = false, programPlace: [UInt64]? = nil, isProtected: Bool = false
  ) {
    (self.identity, self.parent, self.account, self.startedAt) = (identity, parent, account, startedAt)
    (self.name, self.arguments, self.hasMoreArguments, self.script) = (name, arguments, hasMoreArguments, script)
    (self.scriptPlace, self.certainScript, self.images, self.flatpak) = (scriptPlace, certainScript, images, flatpak)
    (self.isGenuineFlatpak, self.isFromWritablePlace) = (isGenuineFlatpak, isFromWritablePlace)
    self.hasWritableExecutable = hasWritableExecutable ?? isFromWritablePlace
    (self.hasChildsCode, self.isFromTerminal) = (hasChildsCode, isFromTerminal)
    (self.programPlace, self.isProtected) = (programPlace, isProtected)
  }
}

extension ProcessFacts {
  /// The matchers by which a parent can allow the program alone, the most exact one first, at most
  /// two; empty if there are none.
  ///
  /// A program that the account can replace has its SHA-256 first, and then its path.
  ///
  /// A path counts only if it leads to the file in the agent's view: in its own mounts, a child can
  /// give any file any path. Spec: Protocol/13-agent.md §5.
  var matchers: [AppMatcher] {
    guard let image = images.first(where: { !$0.isLoader }) ?? images.first else { return [] }
    var found: [AppMatcher] = []
    if let flatpak, !hasWritableExecutable { found.append(AppMatcher(kind: .flatpak, value: flatpak)) }
    if !image.isHidden {
      // The path of a snap's program changes with each version.
      if let snap = image.snap { found.append(AppMatcher(kind: .snap, value: snap)) }
      if let digest = digest(of: image) { found.append(AppMatcher(kind: .sha256, value: digest)) }
      if let place = place(of: image) { found.append(place) }
      // All that an interpreter runs would be allowed by its package.
      if !runsAnything(image), let package = image.packages.min() {
        found.append(AppMatcher(kind: .package, value: package))
      }
    }
    let usable = found.filter { TextRule.matcherValue.fault(in: $0.value) == nil && MatcherCheck.fault(of: $0) == nil }
    return Array(usable.prefix(AgentReport.Event.mostMatchers))
  }

  /// Returns the SHA-256 of a program that the account can replace; `nil` if that allows others.
  ///
  /// An interpreter runs anything, whatever the name of its copy. The content of any other copy is
  /// that of the original, which would no longer be the application that it is.
  private func digest(of image: Image) -> String? {
    guard isFromWritablePlace, !image.isInterpreterCopy, !ScriptInterpreters.tellsScript(image.name) else { return nil }
    return image.copiedPackages.isEmpty && image.copiedPaths.isEmpty ? image.sha256 : nil
  }

  /// Returns the matcher of an image's path, or of the script that it runs for certain; `nil` for
  /// a script whose path is not known or cannot be a pattern.
  ///
  /// No argument allows an executable that the account can replace, or one that may run anything
  /// else than the script. The path of a program that runs anything is still reported, so that a
  /// parent knows of it, but the node does not offer to allow it.
  private func place(of image: Image) -> AppMatcher? {
    guard runsAnything(image), !hasWritableExecutable else { return AppMatcher(kind: .path, value: image.path) }
    if script == ScriptInterpreters.unsettled || script == ScriptInterpreters.elsewhere { return nil }
    guard let script = certainScript ?? scriptPlace else { return AppMatcher(kind: .path, value: image.path) }
    // In a pattern, some characters stand for others.
    return script.contains { "*?\\".contains($0) } ? nil : AppMatcher(kind: .argument, value: script)
  }

  /// Returns whether an image runs what it is given, so that its script is the program.
  private func runsAnything(_ image: Image) -> Bool { ScriptInterpreters.tellsScript(image.name) || image.isLoader }
}
