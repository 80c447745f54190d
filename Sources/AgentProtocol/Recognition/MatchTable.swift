import LatchkeyModel

/// The matchers of one account, prepared so that a process is recognized quickly
/// (Protocol/13-agent.md §8).
struct MatchTable: Sendable {
  /// The application that a process is recognized as.
  struct Match: Hashable, Sendable {
    /// The application; `nil` for an unknown program.
    var app: AppID?
    /// A Boolean value that indicates whether only a weak matcher recognizes it.
    var isWeak: Bool
    /// A Boolean value that indicates whether only arguments recognize it, and do not show what it
    /// runs.
    ///
    /// They spare nothing.
    var isLoose = false
  }

  private var bySHA256: [String: [AppID]] = [:]
  private var byPackage: [String: [AppID]] = [:]
  private var byFlatpak: [String: [AppID]] = [:]
  private var byArgument: [(pattern: ArgumentPattern, app: AppID)] = []
  private var byPath: [String: [AppID]] = [:]
  private var byName = ProgramNames()
  private var bySnap: [String: [AppID]] = [:]
  private var byProcess: [ProcessIdentity: AppID] = [:]
  /// The table of the other programs; `nil` if the orders do not name them.
  private var others: OtherPrograms?
  /// A Boolean value that indicates whether the orders close the other programs, now or later.
  private var closesOthers = false
  /// A Boolean value that indicates whether the orders close unknown programs, now or later.
  private let closesUnknown: Bool

  /// Creates a table of matchers, without the faulty ones.
  ///
  /// `check` returns the fault of a matcher. The faults are appended to `faults`.
  init(
    _ orders: AccountOrders, check: (AppMatcher) -> OrderFault.Kind? = MatcherCheck.fault, faults: inout [OrderFault]
  ) {
    func add(_ kind: OrderFault.Kind, _ app: AppID, _ matcher: AppMatcher) {
      faults.append(OrderFault(kind, account: orders.account, app: app, detail: matcher.value))
    }
    closesUnknown = orders.unknown?.closesAt != nil
    var users: [AppMatcher: Set<AppID>] = [:]
    for program in orders.programs {
      if program.app == .otherPrograms {
        others = OtherPrograms(program.matchers)
        closesOthers = program.terms.closesAt != nil
        continue
      }
      for process in program.processes where byProcess[process] == nil { byProcess[process] = program.app }
      var absent: AppMatcher?
      var canBeThere = !program.processes.isEmpty
      for matcher in program.matchers {
        let fault = check(matcher)
        if matcher.kind == .path, MatcherCheck.fault(of: matcher) == nil { namedPaths.insert(matcher.value) }
        switch fault {
        case .none: canBeThere = true
        case .noProgram: absent = absent ?? matcher
        case .some(let kind):
          add(kind, program.app, matcher)
          continue
        }
        // A missing program may be installed later.
        if users[matcher, default: []].insert(program.app).inserted { self.add(matcher, program.app) }
      }
      if !canBeThere, let absent { add(.noProgram, program.app, absent) }
    }
    for program in orders.programs where program.app != .otherPrograms {
      var told: Set<AppMatcher> = []
      for matcher in program.matchers
      where users[matcher].map({ $0.count > 1 }) == true && told.insert(matcher).inserted {
        add(.sharedMatcher, program.app, matcher)
      }
    }
  }

  private mutating func add(_ matcher: AppMatcher, _ app: AppID) {
    switch matcher.kind {
    case .sha256: bySHA256[matcher.value, default: []].append(app)
    case .package: byPackage[matcher.value, default: []].append(app)
    case .flatpak: byFlatpak[matcher.value, default: []].append(app)
    case .argument: if let pattern = ArgumentPattern(matcher.value) { byArgument.append((pattern, app)) }
    case .path: byPath[matcher.value, default: []].append(app)
    case .name: byName.add(matcher.value, app)
    case .snap: bySnap[matcher.value, default: []].append(app)
    }
  }

  /// What must be known of a process to recognize it.
  var needs: RecognitionNeeds {
    var needs: RecognitionNeeds = []
    if !bySHA256.isEmpty { needs.insert(.hashes) }
    // A program of the child's that is closed is reported by its content.
    if closesUnknown { needs.insert(.ownHashes) }
    // A Flatpak that is closed is reported by its ID: its path is that inside of its sandbox.
    if !byFlatpak.isEmpty || closesOthers { needs.insert(.flatpaks) }
    if !byArgument.isEmpty || !byName.isEmpty {
      needs.insert(.arguments)
    } else if others != nil {
      needs.insert(.scripts)
    }
    return needs
  }
  var packages: Set<String> { Set(byPackage.keys).union(others?.packages ?? []) }
  /// The paths of programs whose copies must be recognized, including paths that are refused
  /// because of where they lead now.
  var paths: Set<String> { namedPaths.union(others?.paths ?? []) }
  private var namedPaths: Set<String> = []

  /// Returns whether a process that is nothing else is one of the other programs.
  func isOther(_ facts: ProcessFacts) -> Bool { !facts.isProtected && others?.match(facts) == true }

  /// Returns whether a process is the program of a menu entry that no rule names.
  func isEntry(_ facts: ProcessFacts) -> Bool { others?.isEntry(facts) == true }

  var namedProcesses: [ProcessIdentity] { Array(byProcess.keys) }

  /// Returns the application of a process according to the node; `nil` if it names none.
  func named(_ process: ProcessIdentity) -> AppID? { byProcess[process] }

  /// Returns whether the executable is at a path in the orders, or behind a link there.
  func isAtItsPath(_ facts: ProcessFacts, _ app: AppID?) -> Bool {
    guard let app, let image = facts.images.first, !image.isHidden else { return false }
    return byPath[image.path]?.contains(app) == true
  }

  /// Returns the application of a process by its matchers, the strongest first; `nil` for none.
  ///
  /// If several applications have an equal matcher, or weak matchers recognize several, the first
  /// by `isStricter` is returned. Evidence that a child can forge therefore spares no program.
  func match(_ facts: ProcessFacts, isStricter: (AppID, AppID) -> Bool = { _, _ in false }) -> Match? {
    func strictest(_ apps: [AppID]) -> AppID? {
      apps.dropFirst().reduce(apps.first) { found, app in found.map { isStricter(app, $0) ? app : $0 } }
    }
    func strong(_ image: ProcessFacts.Image) -> AppID? {
      strictest(
        image.sha256.flatMap { bySHA256[$0] } ?? image.packages.sorted().lazy.compactMap { byPackage[$0] }.first ?? [])
    }
    let flatpak = facts.flatpak.flatMap { byFlatpak[$0] } ?? []
    // Only the executable identifies a program permanently, since a child can have any program map
    // any other file. On a foreign disk, the content may change unnoticed.
    let sure = facts.images.first.flatMap { $0.isForeign ? nil : $0 }
    let own =
      sure.flatMap(strong) ?? (facts.isGenuineFlatpak ? strictest(flatpak) : nil)
      ?? strictest(sure?.snap.flatMap { bySnap[$0] } ?? [])
    let others = facts.images.dropFirst(sure == nil ? 0 : 1).compactMap(strong)
    if let own {
      let stricter = others.first { $0 != own && isStricter($0, own) }
      return Match(app: stricter ?? own, isWeak: stricter != nil)
    }
    var files = others + flatpak
    for image in facts.images { for package in image.copiedPackages.sorted() { files += byPackage[package] ?? [] } }
    var places: [AppID] = []
    for image in facts.images { places += byPath[image.path] ?? [] }
    for image in facts.images { for path in image.copiedPaths.sorted() { places += byPath[path] ?? [] } }
    places += byName.apps(of: facts)
    for image in facts.images { places += image.snap.flatMap { bySnap[$0] } ?? [] }
    guard let found = strictest(files + matched(facts) + places) else { return nil }
    let isLoose = files.isEmpty && places.isEmpty && !byArgument.contains { $0.pattern.isShown(by: facts) }
    return Match(app: found, isWeak: true, isLoose: isLoose)
  }

  /// Returns the applications whose patterns match the arguments of a process, or might match the
  /// part that was not kept.
  private func matched(_ facts: ProcessFacts) -> [AppID] {
    guard !byArgument.isEmpty, !facts.hasMoreArguments else { return byArgument.map(\.app) }
    var arguments = facts.arguments
    return arguments.withUTF8 { bytes in byArgument.filter { $0.pattern.matches(bytes) }.map(\.app) }
  }
}

/// The facts that only some matchers need; they cost time at every start of a program
/// (Protocol/13-agent.md §8).
public struct RecognitionNeeds: OptionSet, Hashable, Sendable {
  /// The SHA-256 of its files.
  public static let hashes = RecognitionNeeds(rawValue: 1)
  public static let flatpaks = RecognitionNeeds(rawValue: 2)
  public static let arguments = RecognitionNeeds(rawValue: 4)
  /// The arguments of interpreters only, which name what they run.
  public static let scripts = RecognitionNeeds(rawValue: 8)
  /// The SHA-256 of those files alone that the account can write to.
  public static let ownHashes = RecognitionNeeds(rawValue: 16)
  public static let all: RecognitionNeeds = [.hashes, .flatpaks, .arguments]

  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
}
