import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// A service that keeps the programs that were refused as unlisted, and tells parents of them.
///
/// Spec: Protocol/11-rules.md §5.
actor RefusedProgramService {
  private struct Closing: Hashable {
    var account: UInt32
    var app: AppID?
    var matchers: [AppMatcher]
  }

  private let context: NodeContext
  private let directory: LinkDirectory
  private let wake = ChangeSignal()
  /// The closings of the last minute, which are not kept again.
  private var noted: [Closing: BootInstant] = [:]
  private var installed: (apps: InstalledPrograms, at: BootInstant)?

  /// Milliseconds within which a program that is refused again is not kept again.
  private static let repetition: Int64 = 60_000
  /// The most programs of an account that are kept within that time.
  private static let mostNoted = 64
  /// Milliseconds for which the installed applications are not read again.
  private static let freshness: Int64 = 10_000
  /// Milliseconds between two looks at whether a program is listed by now.
  private static let pause: Int64 = 15_000

  init(context: NodeContext, directory: LinkDirectory) {
    self.context = context
    self.directory = directory
  }

  func run() async {
    await wake.follow(
      retry: Self.pause, "the refused programs could not be told", context.logger, rest: 1_000...60_000
    ) {
      try await look() ? Self.pause : nil
    }
  }

  /// Keeps a program that the agent has closed, if it was closed because no parent has listed it.
  func note(_ use: ProgramUse, _ matchers: [AppMatcher], at instant: BootInstant) async throws(StoreError) {
    let now = context.now()
    let closing = Closing(account: use.account, app: use.app, matchers: matchers)
    noted = noted.filter { now - $0.value < Self.repetition }
    guard noted[closing] == nil, noted.keys.count(where: { $0.account == use.account }) < Self.mostNoted else { return }
    let household = try await context.readHousehold()
    // While several children may be there, what one of them may not use is closed.
    let children = household.user(of: use.account, on: context.own).children
    guard let rules = children.map({ household.rules(for: $0) }).first(where: { $0.isClosedAsUnlisted(use.recorded) })
    else { return }
    let time = context.time.now - max(0, now - instant)
    guard let program = try await program(closing, rules, at: min(max(0, time), HybridTimestamp.wallLimit - 1)) else {
      return
    }
    try await remember([program], household)
    try await context.store.keep(refused: program)
    try await forgetEarlier(program)
    noted[closing] = now
    wake.notify()
  }

  /// Returns what a parent lists so that a program may run; `nil` if nothing would allow it alone.
  private func program(
    _ closing: Closing, _ rules: RuleSet, at time: Int64
  ) async throws(StoreError) -> RefusedProgram? {
    let (installed, known) = (try await readInstalled(), try await context.store.knownPrograms())
    func refused(
      _ target: RefusedProgram.Target, _ name: String, app: AppID? = nil, file: String? = nil
    ) -> RefusedProgram? {
      let program = RefusedProgram(
        account: closing.account, target: target, name: TextRule.displayName.cleaned(name), refusedAt: time, app: app,
        file: file)
      return program.fault == nil ? program : nil
    }
    func name(of app: AppID) -> String { installed.name(of: app, rules, known) }
    if let app = closing.app, app != .otherPrograms { return refused(.app(app), name(of: app)) }
    let apps = closing.app == nil ? [] : closing.matchers.compactMap { installed.machines[$0] }
    if let app = apps.first(where: { rules.apps[$0]?.matchers.isEmpty ?? true }) {
      return refused(.app(app), name(of: app))
    }
    // What an account has installed for itself is recognized by a matcher that a parent sets.
    let path = closing.matchers.first { $0.kind == .path }?.value
    let file = closing.app == nil ? path : nil
    let app = installed.app(of: closing.matchers, at: file, rules, known)
    for matcher in closing.matchers {
      let place = matcher.kind == .sha256 ? path ?? "program" : matcher.value
      let base = place.split(separator: "/").last.map(String.init) ?? place
      // A long path is left out rather than the program.
      for file in file == nil || matcher.value == file ? [file] : [file, nil] {
        if let program = refused(.matcher(matcher), app.map { name(of: $0) } ?? base, app: app, file: file) {
          return program
        }
      }
    }
    return nil
  }

  /// Forgets what was kept of a file that was replaced since, or whose content was not known.
  private func forgetEarlier(_ program: RefusedProgram) async throws(StoreError) {
    guard let file = program.file else { return }
    let earlier = try await context.store.refusedPrograms().filter {
      $0.account == program.account && $0.file == file && $0.target != program.target
    }
    if !earlier.isEmpty { try await context.store.forget(refused: earlier) }
  }

  /// Remembers as which applications own files were refused, whatever their menus call them later.
  private func remember(_ programs: [RefusedProgram], _ household: Household) async throws(StoreError) {
    let files = programs.filter { $0.file != nil }
    guard !files.isEmpty else { return }
    let rules = household.children(of: context.own).map { household.rules(for: $0) }
    try await context.store.remember { known in
      var own = OwnPrograms(known, for: rules)
      for program in files {
        guard let file = program.file else { continue }
        own.note(program.matchers, at: file, as: program.app)
      }
      known = own.known
    }
  }

  /// Returns the programs that are an application by now: a menu entry may be read, or a rule set,
  /// only after a file was refused.
  private func renewed(_ kept: [RefusedProgram], _ household: Household) async throws(StoreError) -> [RefusedProgram] {
    let without = kept.filter { $0.app == nil && $0.file != nil }
    guard !without.isEmpty else { return [] }
    let (installed, known) = (try await readInstalled(), try await context.store.knownPrograms())
    var renewed: [RefusedProgram] = []
    for var program in without {
      for child in household.user(of: program.account, on: context.own).children {
        let rules = household.rules(for: child)
        guard let app = installed.app(of: program.matchers, at: program.file, rules, known) else { continue }
        program.name = TextRule.displayName.cleaned(installed.name(of: app, rules, known))
        program.app = app
        if program.fault == nil { renewed.append(program) }
        break
      }
    }
    return renewed
  }

  private func readInstalled() async throws(StoreError) -> InstalledPrograms {
    if let installed, context.now() - installed.at < Self.freshness { return installed.apps }
    let found = try await context.store.installedMatchers()
    let list = try await context.store.inventory(InstalledApp.self, of: context.own)?.entries ?? []
    let apps = InstalledPrograms(found, list)
    installed = (apps, context.now())
    return apps
  }

  /// Forgets what is listed by now or too old, and tells parents of the rest if it has changed.
  ///
  /// Returns whether anything is kept. Otherwise there is nothing to look at until a program is
  /// refused, and an idle node hardly wakes.
  @discardableResult
  func look() async throws(StoreError) -> Bool {
    var kept = try await context.store.refusedPrograms()
    let household = try await context.readHousehold()
    let renewed = try await renewed(kept, household)
    try await remember(renewed, household)
    for program in renewed { try await context.store.keep(refused: program) }
    if !renewed.isEmpty { kept = try await context.store.refusedPrograms() }
    let time = context.time.now
    let refused = kept.filter { program in
      guard abs(time - program.refusedAt) < RefusedProgram.keptMilliseconds else { return false }
      return household.children(of: program.account, on: context.own).contains {
        household.rules(for: $0).isUnlisted(program)
      }
    }
    if refused != kept {
      let still = Set(refused)
      try await context.store.forget(refused: kept.filter { !still.contains($0) })
    }
    let known = try await context.store.inventory(RefusedProgram.self, of: context.own)
    // A machine on which nothing was ever refused tells nothing.
    guard !refused.isEmpty || known?.entries.isEmpty == false else { return false }
    let told = try await context.store.setInventory(EntryList(RefusedProgram.inTurn(refused)), at: context.wall())
    if !told.changes.isEmpty {
      await directory.committed(told.changes)
      context.changes.notify()
    }
    return !refused.isEmpty
  }
}

/// The applications of a machine, by what recognizes their programs.
struct InstalledPrograms {
  private(set) var machines: [AppMatcher: AppID] = [:]
  private var owns: [AppMatcher: AppID] = [:]
  private let names: [AppID: String]

  init(_ found: [AppID: InstalledMatchers], _ list: [InstalledApp]) {
    for (app, known) in found.sorted(by: { $0.key < $1.key }) where !app.isOfMany {
      for matcher in known.matchers {
        if known.isOwn {
          if owns[matcher] == nil { owns[matcher] = app }
        } else if machines[matcher] == nil {
          machines[matcher] = app
        }
      }
    }
    names = Dictionary(list.map { ($0.appID, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the application as which a program of an account's own counts, if any.
  func app(of matchers: [AppMatcher], at file: String?, _ rules: RuleSet, _ known: KnownPrograms) -> AppID? {
    OwnPrograms(known, for: [rules]).app(
      of: matchers, at: file, named: rules.named(matchers), claims: matchers.compactMap { owns[$0] })
  }

  func name(of app: AppID, _ rules: RuleSet, _ known: KnownPrograms) -> String {
    rules.app(app).name ?? names[app] ?? known.names[app] ?? app.text
  }
}

extension RefusedProgram {
  /// What recognizes a file of an account's own: its content, if it is known, and its path.
  var matchers: [AppMatcher] {
    let path = file.map { AppMatcher(kind: .path, value: $0) }
    guard case .matcher(let matcher) = target, matcher != path else { return [path].compactMap(\.self) }
    return [matcher] + [path].compactMap(\.self)
  }
}

extension RuleSet {
  /// Returns the application whose rules name a program by the last part of its path.
  ///
  /// A child can give any program a name, so that this alone lets nothing of the child's run.
  fileprivate func named(_ matchers: [AppMatcher]) -> AppID? {
    guard let path = matchers.first(where: { $0.kind == .path })?.value, let name = path.split(separator: "/").last
    else { return nil }
    let matcher = AppMatcher(kind: .name, value: String(name))
    return apps.filter { $0.value.isEnabled && $0.value.matchers.contains(matcher) }.keys.min()
  }
}
