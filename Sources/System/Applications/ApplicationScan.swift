import LatchkeyModel

public struct FoundApplication: Hashable, Sendable {
  /// The application as it is reported to parents.
  public var app: InstalledApp
  /// The matchers of its programs, as far as known.
  ///
  /// They are its package, Flatpak, snap and path, the argument of a script, and the argument that
  /// another program shows when it starts the application. An entry from an account's own folders
  /// gives the path of a program only inside the account's home. Otherwise the account could claim
  /// any program.
  public var matchers: [AppMatcher]
  /// The matchers of its programs that recognize none of the machine's applications, because
  /// several entries start the same program.
  public var shared: [AppMatcher]
  /// A Boolean value that indicates whether only an account's own folder contains it.
  public var isOwn: Bool
}

/// The search for the machine's applications: menu entries, Flatpaks, and their packages
/// (Protocol/10-household.md §5).
public struct ApplicationScan {
  /// The most entries that are read.
  private static let mostFiles = 8_192
  /// The most names that are read, in one folder and in all.
  private static let mostNames = (ofOne: 8_192, ofAll: 65_536)
  /// The greatest depth of folders below that of the entries.
  private static let mostDepth = 3

  /// An entry that was read, before packages are looked up.
  private struct Draft {
    var id: AppID
    var entry: DesktopEntry
    var share: String
    var file: String
    var program: String?
    /// A Boolean value that indicates whether an interpreter runs the program as its script.
    var isInterpreted = false
    /// The matcher that recognizes it if another program starts it.
    var launched: AppMatcher?
  }

  /// The path of Latchkey's program where its package is installed.
  private static let ownProgram = "/usr/bin/latchkey"

  private let places: ApplicationPlaces
  private var drafts: [Draft] = []
  /// The IDs that are settled: listed, or hidden by a folder of higher priority.
  private var decided: Set<String> = []
  private var (files, names) = (0, 0)

  /// Returns the installed applications: the machine's first, then those in people's own folders.
  ///
  /// `defaults` are the categories of well-known applications, which precede those of entries.
  public static func run(
    _ places: ApplicationPlaces, defaults: [AppID: AppCategory] = DefaultCategory.all
  ) -> [FoundApplication] {
    var scan = ApplicationScan(places)
    // The machine's entries come first, so that a person's neither hide nor rename them.
    for share in places.shares + places.homes { scan.look(in: share, "/applications", prefix: "", depth: 0) }
    return scan.found(defaults)
  }

  private init(_ places: ApplicationPlaces) { self.places = places }

  private mutating func look(in share: String, _ folder: String, prefix: String, depth: Int) {
    for name in BoundedFile.names(in: share + folder, most: Self.mostNames.ofOne) {
      names += 1
      guard files < Self.mostFiles, names < Self.mostNames.ofAll else { return }
      let path = "\(folder)/\(name)"
      guard name.hasSuffix(".desktop") else {
        if depth < Self.mostDepth, BoundedFile.isFolder(share + path) {
          look(in: share, path, prefix: "\(prefix)\(name)-", depth: depth + 1)
        }
        continue
      }
      let id = Self.id(prefix + name.dropLast(8))
      // What one account has in its own folder hides nothing of another account's.
      let settled = places.shares.contains(share) ? id : "\(Self.home(of: share))\n\(id)"
      guard !decided.contains(id), !decided.contains(settled) else { continue }
      files += 1
      guard let bytes = BoundedFile.bytes(share + path, most: DesktopEntry.mostBytes),
        let entry = DesktopEntry(bytes, languages: places.languages)
      else { continue }
      decided.insert(settled)
      add(entry, id, share, share + path)
    }
  }

  /// Returns an ID made from a file name: characters that an ID cannot contain become `-`, such as
  /// the spaces of Steam's entries.
  private static func id(_ name: String) -> String {
    if AppID(name) != nil { return name }
    return String(String.UnicodeScalarView(name.unicodeScalars.map { AppID(String($0)) == nil ? "-" : $0 }))
  }

  private mutating func add(_ entry: DesktopEntry, _ text: String, _ share: String, _ file: String) {
    guard !entry.isHidden else { return }
    if let program = entry.tryExec, path(of: program) == nil { return }
    guard let id = entry.flatpak.flatMap({ AppID($0) }) ?? AppID(text) else { return }
    let line = entry.flatpak == nil ? entry.exec : nil
    let launched = line.flatMap { LaunchLine.matcher($0, name: entry.name) }
    let named = launched == nil ? line.flatMap(ExecLine.program) : nil
    // Latchkey's own entry, which opens the pages, is nothing to make rules for.
    if named == Self.ownProgram, places.shares.contains(share) { return }
    let program = named.flatMap(path(of:))
    let script =
      launched == nil && program == nil
      ? line.flatMap { ExecLine.script($0, in: entry.folder) }.flatMap { BoundedFile.isRegular($0) ? $0 : nil } : nil
    drafts.append(
      Draft(
        id: id, entry: entry, share: share, file: file, program: program ?? script, isInterpreted: script != nil,
        launched: launched))
  }

  /// Returns the path of a program; `nil` if it does not exist.
  private func path(of program: String) -> String? {
    if program.hasPrefix("/") { return BoundedFile.isProgram(program) ? program : nil }
    guard !program.contains("/") else { return nil }
    return places.programs.lazy.map { "\($0)/\(program)" }.first(where: BoundedFile.isProgram)
  }

  private func found(_ defaults: [AppID: AppCategory]) -> [FoundApplication] {
    let packages = DebianPackages(folder: places.dpkg)
    let own = drafts.filter { $0.entry.flatpak == nil }
    let owners = packages.owners(of: Set(own.map(\.file) + own.compactMap(\.program)))
    let versions = packages.versions(of: Set(owners.values))
    let machines = drafts.filter { places.shares.contains($0.share) }
    // A program that several applications start does not show which of them runs.
    let starts = Dictionary(grouping: machines.compactMap(\.program), by: \.self).mapValues(\.count)
    let ownStarts = Dictionary(grouping: drafts.compactMap(\.program), by: \.self).mapValues(\.count)
    // A script replaces itself with a program that it names.
    var scripts: [String: [String]] = [:]
    for program in Set(drafts.compactMap(\.program)) where BoundedFile.isScript(program) {
      scripts[program] = ScriptPrograms.named(in: program, besides: Self.manyPrograms.union(places.programs))
    }
    // What an interpreter is given is recognized as a script is, by its path among the arguments.
    for draft in drafts where draft.isInterpreted {
      if let script = draft.program, scripts[script] == nil { scripts[script] = [] }
    }
    // Entries in an account's own folders take nothing from the machine's applications.
    let named = Dictionary(grouping: scripts.values.joined(), by: \.self).mapValues(\.count)
    let machineScripts = scripts.filter { starts[$0.key] != nil }
    let machineNamed = Dictionary(grouping: machineScripts.values.joined(), by: \.self).mapValues(\.count)
    let programs = Dictionary(grouping: starts.keys, by: { owners[$0] ?? "" }).mapValues(\.count)
    return Self.merged(
      drafts.map { draft in
        let package = draft.program.flatMap { owners[$0] }
        let version: String? =
          if let flatpak = draft.entry.flatpak {
            FlatpakVersion.read(flatpak, in: draft.share)
          } else {
            (package ?? owners[draft.file]).flatMap { versions[$0] }
          }
        let isOwn = !places.shares.contains(draft.share)
        let program = draft.program.flatMap { program -> String? in
          if isOwn, !Self.isIn(Self.home(of: draft.share), program) { return nil }
          return (isOwn ? ownStarts : starts)[program] == 1 ? program : nil
        }
        let matchers = [
          draft.entry.flatpak.map { AppMatcher(kind: .flatpak, value: $0) },
          program.flatMap { _ in package.flatMap { programs[$0] == 1 ? AppMatcher(kind: .package, value: $0) : nil } },
          draft.launched,
          program.map {
            // The kernel shows where a link of the account's own leads.
            scripts[$0] == nil
              ? AppMatcher(kind: .path, value: isOwn ? BoundedFile.resolved($0) ?? $0 : $0)
              : AppMatcher(kind: .argument, value: $0)
          },
        ]
        let becomes = (program.flatMap { scripts[$0] } ?? []).filter { path in
          (isOwn ? named : machineNamed)[path] == 1 && (isOwn ? ownStarts : starts)[path] == nil
            && (!isOwn || path.hasPrefix(Self.home(of: draft.share) + "/"))
        }
        let usable = (matchers.compactMap { $0 } + becomes.map { AppMatcher(kind: .path, value: $0) }).filter {
          TextRule.matcherValue.fault(in: $0.value) == nil
        }
        let shared = isOwn ? [] : Self.shared(draft.program, package, scripts).filter { !usable.contains($0) }
        return FoundApplication(
          app: InstalledApp(
            appID: draft.id, name: draft.entry.name, version: TextRule.appVersion.cleaned(version ?? ""),
            suggestion: defaults[draft.id] ?? draft.entry.suggestion), matchers: usable, shared: shared, isOwn: isOwn)
      })
  }

  /// Returns each application once: what several accounts have in their own folders is recognized
  /// by the matchers of all.
  private static func merged(_ all: [FoundApplication]) -> [FoundApplication] {
    var merged: [FoundApplication] = []
    var places: [AppID: Int] = [:]
    for one in all {
      guard let place = places[one.app.appID] else {
        places[one.app.appID] = merged.count
        merged.append(one)
        continue
      }
      guard one.isOwn, merged[place].isOwn else { continue }
      merged[place].matchers += one.matchers.filter { !merged[place].matchers.contains($0) }
    }
    return merged
  }

  /// Returns the matchers of an entry's programs that other entries may start as well.
  private static func shared(_ program: String?, _ package: String?, _ scripts: [String: [String]]) -> [AppMatcher] {
    guard let program else { return [] }
    // A link may lead to a program in a folder of its own.
    let paths = [program, BoundedFile.resolved(program)].compactMap(\.self) + (scripts[program] ?? [])
    let found =
      paths.map { AppMatcher(kind: .path, value: $0) } + (package.map { [AppMatcher(kind: .package, value: $0)] } ?? [])
    return found.filter { TextRule.matcherValue.fault(in: $0.value) == nil }
  }

  private static let manyPrograms = Set(
    ApplicationPlaces.usualPrograms
      + ["/lib", "/usr/lib", "/usr/libexec", "/usr/local/lib", "/usr/local/libexec", "/opt"])

  /// Returns whether a program is in a home, also after links are followed.
  private static func isIn(_ home: Substring, _ program: String) -> Bool {
    guard program.hasPrefix(home + "/") else { return false }
    guard let place = BoundedFile.resolved(program) else { return true }
    return place.hasPrefix((BoundedFile.resolved(String(home)) ?? String(home)) + "/")
  }

  /// Returns the home of the account whose folder of applications this is.
  private static func home(of share: String) -> Substring {
    share.firstRange(of: "/.local/share").map { share[..<$0.lowerBound] } ?? share[...]
  }
}
