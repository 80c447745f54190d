import LatchkeyModel

/// A check of one matcher that does not depend on the machine (Protocol/13-agent.md §6).
public enum MatcherCheck {
  public static func fault(of matcher: AppMatcher) -> OrderFault.Kind? {
    let value = matcher.value
    switch matcher.kind {
    case .sha256:
      let isDigest =
        value.utf8.count == 64 && value.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
      return isDigest ? nil : .badMatcher
    case .package:
      guard isPackageName(value) else { return .badMatcher }
      return NeededPrograms.contains(package: value) ? .neededProgram : nil
    case .flatpak: return isFlatpak(value) ? nil : .badMatcher
    case .argument:
      guard ArgumentPattern(value) != nil else { return .matchesEverything }
      return isNeeded(in: value) ? .neededProgram : nil
    case .path:
      if value.allSatisfy({ $0 == "/" || $0 == "*" || $0 == "." }) { return .matchesEverything }
      guard isPath(value) else { return .badMatcher }
      return value.split(separator: "/").last.map(NeededPrograms.isNamed) == true ? .neededProgram : nil
    case .name:
      if value.allSatisfy({ $0 == "*" || $0 == "?" }) { return .matchesEverything }
      guard !value.contains(where: { $0 == "/" || $0 == "*" }), !isPadded(value) else { return .badMatcher }
      return NeededPrograms.isNamed(by: value) ? .neededProgram : nil
    case .snap:
      guard isSnap(value) else { return .badMatcher }
      return NeededPrograms.contains(snap: value) ? .neededProgram : nil
    }
  }

  /// Returns whether a path is one as the kernel shows it: absolute, with a name in every part.
  private static func isPath(_ path: String) -> Bool {
    guard path.hasPrefix("/"), !path.contains("*"), !isPadded(path) else { return false }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part != "." && part != ".."
    }
  }

  private static func isFlatpak(_ id: String) -> Bool {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty }
      && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || [".", "-", "_"].contains($0)) }
  }

  /// Returns whether a text is a snap's name, optionally followed by the key of a second instance.
  private static func isSnap(_ name: String) -> Bool {
    name.wholeMatch(of: /[a-z0-9-]{2,40}(_[a-z0-9]{1,10})?/) != nil && name.contains { $0.isLetter }
  }

  /// Returns whether a text begins or ends with a space, which may be a typing error.
  private static func isPadded(_ text: String) -> Bool { text.hasPrefix(" ") || text.hasSuffix(" ") }

  private static func isPackageName(_ name: String) -> Bool {
    name.utf8.count >= 2 && name.utf8.first.map { $0.isLowercaseLetter || $0.isDigit } == true
      && name.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || [0x2B, 0x2D, 0x2E].contains($0) }
  }

  /// Returns whether a pattern names the executable of a needed program or shell, alone or by its
  /// path as the first word.
  private static func isNeeded(in pattern: String) -> Bool {
    let words = pattern.split { $0 == "*" || $0 == " " }
    guard let first = words.first, let name = first.split(separator: "/").last else { return false }
    return words.count == 1 ? NeededPrograms.isNamed(by: name) : first.contains("/") && NeededPrograms.contains(name)
  }
}
