import LatchkeyModel

extension ProcessFacts {
  /// The matchers by which a parent can allow the program alone, the most exact one first, at most
  /// two; empty if there are none.
  ///
  /// A program that the account can replace has its SHA-256 first, and then its path.
  ///
  /// A path counts only if it leads to the file in the agent's view: in its own mounts, a child can
  /// give any file any path.
  ///
  /// Spec: Protocol/13-agent.md §5.
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

  /// Returns the SHA-256 of a program that the account can replace; `nil` if that would allow other
  /// programs as well.
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
  private func runsAnything(_ image: Image) -> Bool {
    ScriptInterpreters.tellsScript(image.name) || image.isLoader
  }
}
