import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct AppsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "The applications that have rules, and those that are installed.",
    discussion: "Example: latchkey apps",
    subcommands: [
      AppsListSubcommand.self, AppsScanSubcommand.self, AppsRefusedSubcommand.self, AppsAllowSubcommand.self,
      GroupSubcommand.self,
    ], defaultSubcommand: AppsListSubcommand.self)
}

struct AppsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List applications with the rules that are in force.",
    discussion: """
      What is set for a child holds over what is set for the family. Well-known applications that are installed have a category \
      by default until a parent sets one. On a parent's machine it also says which machines have not confirmed the last change \
      yet.

      Example: latchkey apps list --child Emma
      """)

  @OptionGroup var listing: ListingOptions

  @Option(child: "Only those of this child.") var child: String?

  @Option(name: .customLong("on"), help: .hidden) var machine: String?

  mutating func validate() throws {
    guard machine == nil else {
      throw ValidationError(
        "Rules are a child's and hold on all machines of the child's, so --on does not fit here: name the child with --child."
      )
    }
  }

  func run() async throws {
    let interface = try await listing.node.open()
    let found = try await interface.ask(Endpoints.getApps, child)
    if listing.format == .json { return try console.write(JSONText.pretty(found)) }
    try console.write(Self.page(found))
    // Without rules, there is nothing to say of the parents who set them.
    let hasRules = found.contains { $0.apps.contains { !$0.rules.isEmpty } }
    let peers = hasRules ? try await interface.ask(Endpoints.getDevices) : []
    for sentence in Self.notes(found, peers) { console.note(sentence) }
  }

  /// Returns what has no effect, what has not arrived, and who set the rules.
  static func notes(_ found: [ChildApps], _ peers: [PeerStatus]) -> [String] {
    var notes: [String] = []
    // A rule of the family's is listed for each child.
    for sentence in found.flatMap({ RulesSubcommand.notes($0.apps.flatMap(\.rules)) }) where !notes.contains(sentence) {
      notes.append(sentence)
    }
    notes += found.compactMap { $0.child.flatMap(ChildText.untold) }
    notes += found.compactMap { $0.child.flatMap(ChildText.elsewhere) }
    let rules = found.flatMap(\.apps).flatMap(\.rules)
    // A parent's machine without a child's machine still holds what it has set.
    guard peers.isEmpty, !rules.isEmpty, found.contains(where: { !($0.child?.machines.isEmpty ?? true) }) else {
      return notes
    }
    let authors = Set(rules.map(\.setBy)).sorted { $0.text < $1.text }.map(ShownText.quoted)
    return notes + [
      "No parent is paired with this machine now. It keeps the last rules, set by \(authors.joined(separator: " and ")), "
        + "until a parent is paired again."
    ]
  }

  /// Returns the table, with the columns in which there is something to say.
  static func page(_ found: [ChildApps]) -> String {
    let rows = found.flatMap { listing in listing.apps.map { (listing.child, $0) } }
    let hasChildren = found.count > 1
    // Only if people gave names in addition to the IDs.
    let hasIDs = rows.contains { $0.1.displayName != $0.1.appID.text }
    let authors = Set(rows.flatMap { $0.1.rules.map(\.setBy) })
    var headings = (hasChildren ? ["Child"] : []) + ["Application", "Category", "Points/min", "Allowed", "Limit/day"]
    let number = hasChildren ? 3 : 2
    if hasIDs { headings.append("ID") }
    if authors.count > 1 { headings.append("Set by") }
    let cells = rows.map { child, app in
      (hasChildren ? [child.map { ShownText.safe($0.name.text) } ?? "all"] : []) + rules(app)
        + (hasIDs ? [app.appID.text] : []) + (authors.count > 1 ? [setBy(app)] : [])
    }
    let table = TableText.render(
      headings, numbers: [number], spare: hasIDs ? [number + 3] : [],
      wrap: Set([number - 1, number + 1, number + 2] + (authors.count > 1 ? [headings.count - 1] : [])),
      rows: cells, empty: "No application has rules.")
    guard !rows.isEmpty else { return table }
    return table
      + "The child's machines show these rules. An agent there closes what they forbid, where it recognizes the program."
      .inWidth + "\n"
  }

  private static func rules(_ app: AppListing) -> [String] {
    [
      ShownText.safe(app.displayName), (app.category ?? .neutral).rawValue + (app.isByDefault ? " by default" : ""),
      app.category ?? .neutral == .neutral ? "–" : PointsText.text(app.milliPointsPerMinute), allowed(app), limit(app),
    ]
  }

  private static func allowed(_ app: AppListing) -> String {
    if !app.isEnabled { return "rules off" }
    if app.isBlocked || app.isAlwaysAllowed { return app.isBlocked ? "blocked" : "always" }
    return whole(app.hours, app.groups.map { ($0.name, $0.hours) }) ?? "yes"
  }

  private static func limit(_ app: AppListing) -> String {
    let words = { (text: String) in (try? DayLimits(text))?.words ?? text }
    return whole(app.limit.map(words), app.groups.map { ($0.name, $0.limit.map(words)) }) ?? "none"
  }

  /// Returns an application's own rule and those of its groups, such as "1 h, 2 h with Blocks".
  private static func whole(_ own: String?, _ groups: [(name: GroupName, text: String?)]) -> String? {
    let ofGroups = groups.compactMap { group in group.text.map { "\($0) with \(ShownText.safe(group.name.text))" } }
    let all = [own].compactMap(\.self) + ofGroups
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  private static func setBy(_ app: AppListing) -> String {
    Set(app.rules.map(\.setBy.text)).sorted().map(ShownText.safe).joined(separator: ", ")
  }
}
