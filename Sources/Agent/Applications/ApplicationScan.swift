import LatchkeyModel

/// An application that was found on this machine.
public struct FoundApplication: Hashable, Sendable {
  /// What its parents are told.
  public var app: InstalledApp
  /// What recognizes its programs, as far as that is known: package, Flatpak, snap, path, for a script its argument, and for what
  /// another program starts what that shows among its arguments.
  ///
  /// Of what an account has in its own folders, it is not the path of a program outside of the account's home: the account could
  /// name any other program there.
  public var matchers: [AppMatcher]
  /// The matchers of its programs that recognize none of the machine's applications, because several entries start the same
  /// program.
  public var shared: [AppMatcher]
  /// A Boolean value that indicates whether it is known from an account's own folder alone.
  public var isOwn: Bool
}

/// The look at what is installed on this machine: entries of menus, Flatpaks, and the packages that they come from.
///
/// Spec: Protocol/10-household.md §5.
public struct ApplicationScan {
  /// The entries that are read.
  private static let mostFiles = 8_192
  /// The names that are read, of one folder and of all.
  private static let mostNames = (ofOne: 8_192, ofAll: 65_536)
  /// The folders below that of the entries.
  private static let mostDepth = 3

  /// An entry that was read, before packages are looked up.
  private struct Draft {
    var id: AppID
    var entry: DesktopEntry
    var share: String
    var file: String
    var program: String?
    /// What recognizes it if another program starts it.
    var launched: AppMatcher?
  }

  private let places: ApplicationPlaces
  private var drafts: [Draft] = []
  /// The IDs that are decided: listed, or hidden by a more important folder.
  private var decided: Set<String> = []
  private var (files, names) = (0, 0)

  /// Returns the applications that are installed, the machine's first and then those that people have in their own folders.
  ///
  /// `defaults` are the categories of well-known applications, which are suggested before what the entry says.
  public static func run(
    _ places: ApplicationPlaces, defaults: [AppID: AppCategory] = DefaultCategory.all
  ) -> [FoundApplication] {
    var scan = ApplicationScan(places)
    // The machine's entries come first: what somebody puts into an own folder neither hides nor renames them.
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
      guard !decided.contains(id) else { continue }
      files += 1
      guard let bytes = BoundedFile.bytes(share + path, most: DesktopEntry.mostBytes),
        let entry = DesktopEntry(bytes, languages: places.languages)
      else { continue }
      decided.insert(id)
      add(entry, id, share, share + path)
    }
  }

  /// Returns an ID made of a file's name: with `-` for each character that an ID cannot have, as Steam's entries have spaces.
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
    let program = launched == nil ? line.flatMap(ExecLine.program).flatMap(path(of:)) : nil
    drafts.append(Draft(id: id, entry: entry, share: share, file: file, program: program, launched: launched))
  }

  /// Returns the path of a program; `nil` if there is none.
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
    // What several applications start says nothing about which of them runs.
    let starts = Dictionary(grouping: machines.compactMap(\.program), by: \.self).mapValues(\.count)
    let ownStarts = Dictionary(grouping: drafts.compactMap(\.program), by: \.self).mapValues(\.count)
    // A script becomes what it names.
    var scripts: [String: [String]] = [:]
    for program in Set(drafts.compactMap(\.program)) where BoundedFile.isScript(program) {
      scripts[program] = ScriptPrograms.named(in: program, besides: Self.manyPrograms.union(places.programs))
    }
    // What an account says of its own takes nothing from the machine's applications.
    let named = Dictionary(grouping: scripts.values.joined(), by: \.self).mapValues(\.count)
    let machineScripts = scripts.filter { starts[$0.key] != nil }
    let machineNamed = Dictionary(grouping: machineScripts.values.joined(), by: \.self).mapValues(\.count)
    let programs = Dictionary(grouping: starts.keys, by: { owners[$0] ?? "" }).mapValues(\.count)
    return drafts.map { draft in
      let package = draft.program.flatMap { owners[$0] }
      let version: String? =
        if let flatpak = draft.entry.flatpak {
          FlatpakVersion.read(flatpak, in: draft.share)
        } else {
          (package ?? owners[draft.file]).flatMap { versions[$0] }
        }
      let isOwn = !places.shares.contains(draft.share)
      let program = draft.program.flatMap { program -> String? in
        if isOwn, !program.hasPrefix(Self.home(of: draft.share) + "/") { return nil }
        return (isOwn ? ownStarts : starts)[program] == 1 ? program : nil
      }
      let matchers = [
        draft.entry.flatpak.map { AppMatcher(kind: .flatpak, value: $0) },
        program.flatMap { _ in package.flatMap { programs[$0] == 1 ? AppMatcher(kind: .package, value: $0) : nil } },
        draft.launched,
        program.map { AppMatcher(kind: scripts[$0] == nil ? .path : .argument, value: $0) },
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
          suggestion: defaults[draft.id] ?? draft.entry.suggestion),
        matchers: usable, shared: shared, isOwn: isOwn)
    }
  }

  /// Returns what recognizes the programs of an entry, which others may start as well.
  private static func shared(
    _ program: String?, _ package: String?, _ scripts: [String: [String]]
  ) -> [AppMatcher] {
    guard let program else { return [] }
    // What a link leads to may be a program in a folder of its own.
    let paths = [program, BoundedFile.resolved(program)].compactMap(\.self) + (scripts[program] ?? [])
    let found =
      paths.map { AppMatcher(kind: .path, value: $0) } + (package.map { [AppMatcher(kind: .package, value: $0)] } ?? [])
    return found.filter { TextRule.matcherValue.fault(in: $0.value) == nil }
  }

  private static let manyPrograms = Set(
    ApplicationPlaces.usualPrograms
      + ["/lib", "/usr/lib", "/usr/libexec", "/usr/local/lib", "/usr/local/libexec", "/opt"])

  /// Returns the home of the account whose folder of applications this is.
  private static func home(of share: String) -> Substring {
    share.firstRange(of: "/.local/share").map { share[..<$0.lowerBound] } ?? share[...]
  }
}
