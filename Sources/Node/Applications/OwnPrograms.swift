import LatchkeyModel
import LatchkeyRules

/// Decides as which application a program counts that an account has installed for itself.
///
/// A child writes the menu entries of its own programs. So an entry gives a program an application
/// only until it is known as one: another name, ID or file in the menu takes no rules from it, and
/// makes it neither learning nor always allowed. It reads and changes nothing but its values.
///
/// Spec: Protocol/11-rules.md §5.
struct OwnPrograms {
  private(set) var known: KnownPrograms
  /// The rules of the children whose programs they may be.
  let rules: [RuleSet]

  init(_ known: KnownPrograms, for rules: [RuleSet]) {
    self.known = known
    self.rules = rules
  }

  /// The most programs that are remembered of an application with rules, and the most contents: the
  /// first ones, beside what the menus name now and what a parent has allowed.
  static let mostOfApp = 16
  /// The most programs that are remembered of all applications without rules: the last ones, beside
  /// those that the menus name now.
  static let mostWithoutRules = 512

  /// Returns the application as which a refused program counts: the first that may be meant and has
  /// rules, or else the first.
  ///
  /// `file` is the path of its file, if the account can replace that. `named` is the application
  /// whose rules name it by the last part of its path. `claims` are those that the accounts' menus
  /// make of it now.
  func app(of matchers: [AppMatcher], at file: String?, named: AppID?, claims: [AppID]) -> AppID? {
    let contents = known.programs.filter { $0.matcher.kind == .sha256 && matchers.contains($0.matcher) }
    let places = known.programs.filter { $0.file == nil && matchers.contains($0.matcher) }
    let allowed = allowed(at: file)
    let own = (contents.compactMap(\.app) + allowed + places.compactMap(\.app)).filter {
      allowed.contains($0) || isLeftToMenus($0)
    }
    let candidates = own + [named].compactMap(\.self) + claims.filter { isLeftToMenus($0) }
    // What was refused at another place, and was put here, is no next version of what was here.
    let isMoved = contents.contains { $0.file != file }
    let origin = file ?? matchers.first { $0.kind == .argument }?.value
    let eligible = candidates.filter { app in
      !isPrivileged(app) || !isMoved && (allowed.contains(app) || isFirst(origin, of: app))
    }
    return eligible.first { hasRules($0) } ?? eligible.first
  }

  mutating func note(_ matchers: [AppMatcher], at file: String, as app: AppID?) {
    for matcher in matchers {
      switch matcher.kind {
      case .sha256: add(KnownPrograms.Program(matcher, as: app, at: file))
      case .path where app != nil && matcher.value == file: add(KnownPrograms.Program(matcher, as: app))
      default: continue
      }
    }
    trim(besides: [])
  }

  private mutating func add(_ program: KnownPrograms.Program) {
    guard let index = known.programs.firstIndex(where: { $0.matcher == program.matcher && $0.file == program.file })
    else { return known.programs.append(program) }
    if known.programs[index].app == nil { known.programs[index].app = program.app }
  }

  /// Returns the applications of which a parent has allowed a file that was at a place.
  private func allowed(at file: String?) -> [AppID] {
    guard let file else { return [] }
    let contents = Set(known.programs.filter { $0.file == file }.map(\.matcher))
    guard !contents.isEmpty else { return [] }
    let apps = rules.flatMap(\.apps).filter { $0.value.isEnabled && !contents.isDisjoint(with: $0.value.matchers) }
    return Set(apps.map(\.key)).sorted()
  }

  /// Returns whether a parent has set a rule of an application, or of a group that it is in.
  func hasRules(_ app: AppID) -> Bool { rules.contains { $0.apps[app] != nil || !$0.groups(of: app).isEmpty } }

  func isPrivileged(_ app: AppID) -> Bool {
    rules.contains { $0.app(app).isAlwaysAllowed || $0.app(app).category == .learning }
  }

  /// Returns whether a parent has said how an application is recognized by nothing but the content
  /// or the name of files, which a child's own files have.
  private func isLeftToMenus(_ app: AppID) -> Bool {
    rules.allSatisfy { $0.apps[app]?.matchers.allSatisfy { [.sha256, .name].contains($0.kind) } ?? true }
  }

  /// Returns whether a file or script was the first that was known as an application, which a
  /// parent has then listed, and of which no file was allowed yet.
  private func isFirst(_ place: String?, of app: AppID) -> Bool {
    guard let place, rules.contains(where: { $0.isListed(app) }),
      rules.allSatisfy({ $0.apps[app]?.matchers.isEmpty ?? true })
    else { return false }
    return known.programs.first { $0.app == app }.map { $0.file ?? $0.matcher.value } == place
  }

  // MARK: The look at what is installed

  /// An application that was found, with the matchers that an agent takes.
  struct Found: Hashable, Sendable {
    var app: InstalledApp
    var matchers: [AppMatcher]
    var isOwn: Bool
    var isListed = true
  }

  /// Returns what was found, each application once, with each program under the application as
  /// which it was first known, and remembers what is new.
  ///
  /// `found` has the machine's applications first; `isThere` says whether something is at a path.
  mutating func settle(_ found: [Found], isThere: (String) -> Bool) -> [Found] {
    let machines = Set(found.filter { !$0.isOwn }.map(\.app.appID))
    var settled: [Found] = []
    var places: [AppID: Int] = [:]
    func put(_ one: Found) {
      guard let place = places[one.app.appID] else {
        places[one.app.appID] = settled.count
        return settled.append(one)
      }
      if settled[place].isOwn, one.isOwn {
        settled[place].matchers += one.matchers.filter { !settled[place].matchers.contains($0) }
      }
    }
    var claimed: Set<AppMatcher> = []
    for one in found {
      guard one.isOwn else {
        known.names[one.app.appID] = one.app.name
        put(one)
        continue
      }
      let owners = Dictionary(grouping: one.matchers) { owner(of: $0, claimedBy: one.app.appID) }
      let first = one.matchers.first.map { owner(of: $0, claimedBy: one.app.appID) } ?? one.app.appID
      for app in [first] + owners.keys.filter({ $0 != first }).sorted() {
        let matchers = owners[app] ?? []
        claimed.formUnion(matchers)
        // A later entry makes nothing learning or always allowed.
        if !isPrivileged(app) { for matcher in matchers { add(KnownPrograms.Program(matcher, as: app)) } }
        // An account's own program takes nothing from the machine's application.
        guard !machines.contains(app), app == first || hasRules(app) else { continue }
        var listed = one
        (listed.app.appID, listed.app.name, listed.matchers) = (app, name(of: app, in: one), matchers)
        put(listed)
      }
    }
    keep(&settled, places, machines, besides: claimed, isThere)
    trim(besides: claimed)
    let listed = Set(found.map(\.app.appID)).union(settled.map(\.app.appID))
    known.names = known.names.filter { listed.contains($0.key) || hasRules($0.key) }
    return settled
  }

  private func owner(of matcher: AppMatcher, claimedBy app: AppID) -> AppID {
    guard let first = known.programs.first(where: { $0.matcher == matcher && $0.file == nil })?.app else { return app }
    return hasRules(first) || !hasRules(app) || isPrivileged(app) ? first : app
  }

  /// Returns the name of an account's own application, which stays once rules are set for it.
  private mutating func name(of app: AppID, in one: Found) -> String {
    guard hasRules(app) else {
      if known.names[app] == nil || app == one.app.appID { known.names[app] = one.app.name }
      return known.names[app] ?? one.app.name
    }
    return known.names[app] ?? rules.lazy.compactMap { $0.app(app).name }.first ?? app.text
  }

  /// Adds what recognizes applications with rules, although no entry names it now.
  private func keep(
    _ settled: inout [Found], _ places: [AppID: Int], _ machines: Set<AppID>, besides claimed: Set<AppMatcher>,
    _ isThere: (String) -> Bool
  ) {
    for program in known.programs where program.file == nil && !claimed.contains(program.matcher) {
      guard let app = program.app, !machines.contains(app), hasRules(app) else { continue }
      let index = places[app] ?? settled.firstIndex { $0.app.appID == app } ?? settled.count
      if index == settled.count {
        let name = known.names[app] ?? app.text
        settled.append(Found(app: InstalledApp(appID: app, name: name), matchers: [], isOwn: true, isListed: false))
      }
      // A program that is there is installed, and one that is not may come back before the next
      // look. What another program starts may have been removed.
      if program.matcher.value.hasPrefix("/"), isThere(program.matcher.value) { settled[index].isListed = true }
      if !settled[index].matchers.contains(program.matcher) { settled[index].matchers.append(program.matcher) }
    }
  }

  /// Forgets what is too much: what a child installs fills no disk and pushes out no rules.
  private mutating func trim(besides claimed: Set<AppMatcher>) {
    let allowed = Set(rules.flatMap { $0.apps.values.flatMap(\.matchers) })
    struct Kind: Hashable {
      var app: AppID
      var isContent: Bool
    }
    var counts: [Kind: Int] = [:]
    var others: [Int] = []
    var kept: Set<Int> = []
    for (index, program) in known.programs.enumerated() {
      if allowed.contains(program.matcher) || claimed.contains(program.matcher) {
        kept.insert(index)
      } else if let app = program.app, hasRules(app) {
        let count = counts[Kind(app: app, isContent: program.file != nil), default: 0] + 1
        counts[Kind(app: app, isContent: program.file != nil)] = count
        if count <= Self.mostOfApp { kept.insert(index) }
      } else {
        others.append(index)
      }
    }
    kept.formUnion(others.suffix(Self.mostWithoutRules))
    guard kept.count < known.programs.count else { return }
    known.programs = known.programs.enumerated().filter { kept.contains($0.offset) }.map(\.element)
  }
}
