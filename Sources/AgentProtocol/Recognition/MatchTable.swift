import LatchkeyModel

/// The matchers of one account, prepared so that a process is recognized quickly.
///
/// Spec: Protocol/13-agent.md §8.
struct MatchTable: Sendable {
  /// The application that a process is.
  struct Match: Hashable, Sendable {
    /// The application; `nil` for an unknown program.
    var app: AppID?
    /// A Boolean value that indicates whether a weak matcher alone recognizes it.
    var isWeak: Bool
  }

  private var bySHA256: [String: AppID] = [:]
  private var byPackage: [String: AppID] = [:]
  private var byFlatpak: [String: AppID] = [:]
  private var byArgument: [(pattern: ArgumentPattern, app: AppID)] = []
  private var byPath: [String: AppID] = [:]
  private var byName: [String: AppID] = [:]
  private var byProcess: [ProcessIdentity: AppID] = [:]

  /// Creates a table, without the matchers that are faulty; those are appended to `faults`.
  ///
  /// Of two applications with an equal matcher, the first one has it.
  init(_ orders: AccountOrders, faults: inout [OrderFault]) {
    for program in orders.programs {
      for process in program.processes where byProcess[process] == nil { byProcess[process] = program.app }
      for matcher in program.matchers {
        if let kind = MatcherCheck.fault(of: matcher) {
          faults.append(OrderFault(kind, account: orders.account, app: program.app, detail: matcher.value))
        } else {
          add(matcher, program.app)
        }
      }
    }
  }

  private mutating func add(_ matcher: AppMatcher, _ app: AppID) {
    func first(_ table: inout [String: AppID]) {
      if table[matcher.value] == nil { table[matcher.value] = app }
    }
    switch matcher.kind {
    case .sha256: first(&bySHA256)
    case .package: first(&byPackage)
    case .flatpak: first(&byFlatpak)
    case .argument:
      if let pattern = ArgumentPattern(matcher.value) { byArgument.append((pattern, app)) }
    case .path: first(&byPath)
    case .name: first(&byName)
    }
  }

  /// A Boolean value that indicates whether recognizing a process may need the SHA-256 of its files.
  var needsHashes: Bool { !bySHA256.isEmpty }
  /// The packages whose files have to be known.
  var packages: Set<String> { Set(byPackage.keys) }
  /// The paths of programs of which copies have to be known.
  var paths: Set<String> { Set(byPath.keys) }

  /// Returns the application that the node says a process is; `nil` if it says nothing.
  func named(_ process: ProcessIdentity) -> AppID? { byProcess[process] }

  /// Returns whether the executable is where a path that orders name for an application leads.
  func isAtItsPath(_ facts: ProcessFacts, _ app: AppID?) -> Bool {
    facts.images.first.map { !$0.isHidden && app != nil && byPath[$0.path] == app } ?? false
  }

  /// Returns the application that a process is by its matchers, the strongest kind of matcher first; `nil` if it is none.
  ///
  /// Of several that weak matchers recognize, it is the one that `isStricter` puts before the others: what a child can forge
  /// spares no program.
  func match(_ facts: ProcessFacts, isStricter: (AppID, AppID) -> Bool = { _, _ in false }) -> Match? {
    func among(_ find: (ProcessFacts.Image) -> AppID?) -> AppID? { facts.images.lazy.compactMap(find).first }
    func strong(_ image: ProcessFacts.Image) -> AppID? {
      image.sha256.flatMap { bySHA256[$0] } ?? image.packages.sorted().lazy.compactMap { byPackage[$0] }.first
    }
    let flatpak = facts.flatpak.flatMap { byFlatpak[$0] }
    // The executable alone says for good what it is: a child can have any program map any other file. On a disk of the
    // child's own, the content may change unseen.
    let sure = facts.images.first.flatMap { $0.isForeign ? nil : $0 }
    let own = sure.flatMap(strong) ?? (facts.isGenuineFlatpak ? flatpak : nil)
    let others = facts.images.dropFirst(sure == nil ? 0 : 1).compactMap(strong)
    if let own {
      let stricter = others.first { $0 != own && isStricter($0, own) }
      return Match(app: stricter ?? own, isWeak: stricter != nil)
    }
    var weak = others + [flatpak, among { $0.copiedPackages.sorted().lazy.compactMap { byPackage[$0] }.first }]
    weak += matched(facts)
    weak.append(among { byPath[$0.path] })
    weak.append(among { $0.copiedPaths.sorted().lazy.compactMap { byPath[$0] }.first })
    weak.append(among { byName[String($0.name)] })
    weak.append(byName[facts.name])
    var strictest: AppID?
    for app in weak.lazy.compactMap({ $0 }) {
      if let present = strictest, !isStricter(app, present) { continue }
      strictest = app
    }
    return strictest.map { Match(app: $0, isWeak: true) }
  }

  /// Returns the applications whose patterns match the arguments of a process, or may match what is not kept of them.
  private func matched(_ facts: ProcessFacts) -> [AppID?] {
    guard !byArgument.isEmpty, !facts.hasMoreArguments else { return byArgument.map(\.app) }
    var arguments = facts.arguments
    return arguments.withUTF8 { bytes in byArgument.filter { $0.pattern.matches(bytes) }.map(\.app) }
  }
}

/// The check of one matcher.
public enum MatcherCheck {
  /// Returns what is wrong with a matcher; `nil` if it can be used.
  public static func fault(of matcher: AppMatcher) -> OrderFault.Kind? {
    let value = matcher.value
    switch matcher.kind {
    case .sha256:
      let isDigest =
        value.utf8.count == 64 && value.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      return isDigest ? nil : .badMatcher
    case .package:
      guard isPackageName(value) else { return .badMatcher }
      return NeededPrograms.contains(package: value) ? .neededProgram : nil
    case .flatpak: return value.contains("/") || !value.contains(".") ? .badMatcher : nil
    case .argument:
      guard ArgumentPattern(value) != nil else { return .matchesEverything }
      return isNeeded(in: value) ? .neededProgram : nil
    case .path:
      if value.allSatisfy({ $0 == "/" || $0 == "*" || $0 == "." }) { return .matchesEverything }
      guard value.hasPrefix("/"), !value.contains("*"), !value.hasSuffix("/") else { return .badMatcher }
      return value.split(separator: "/").last.map(NeededPrograms.isNamed) == true ? .neededProgram : nil
    case .name:
      if value.allSatisfy({ $0 == "*" || $0 == "?" }) { return .matchesEverything }
      guard !value.contains("/") else { return .badMatcher }
      return NeededPrograms.isNamed(by: value) ? .neededProgram : nil
    }
  }

  private static func isPackageName(_ name: String) -> Bool {
    name.utf8.count >= 2 && name.utf8.first.map { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) } == true
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
      }
  }

  /// Returns whether a pattern names the executable of a needed program as its first word.
  private static func isNeeded(in pattern: String) -> Bool {
    let first = pattern.drop { $0 == "*" || $0 == " " }.prefix { $0 != " " && $0 != "*" }
    return first.split(separator: "/").last.map(NeededPrograms.contains) == true
  }
}
