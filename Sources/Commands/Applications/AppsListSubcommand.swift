import ArgumentParser
import LatchkeyModel

/// The `latchkey apps` subcommand.
struct AppsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "The applications that have rules.", discussion: "Example: latchkey apps",
    subcommands: [AppsListSubcommand.self], defaultSubcommand: AppsListSubcommand.self)
}

/// The `latchkey apps list` subcommand.
struct AppsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List applications with their rules.",
    discussion: """
      On a parent's machine it also says which rules have not reached the child's machine yet, and whether rules are \
      recorded or enforced there.

      Example: latchkey apps list --on Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(
    name: .customLong("on"),
    help: ArgumentHelp("Only those of this machine, or of this child's.", valueName: "machine"),
    completion: CompletionNames.devices)
  var device: String?

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let interface = try await node.open()
    let apps = try await interface.apps(device: device)
    switch listing.format {
    case .json: try console.write(JSONText.pretty(apps))
    case .table:
      let wanted = Set(apps.map(\.device))
      let devices = try await interface.devices()
      let peers = devices.filter { device == nil || wanted.contains($0.device.deviceID) }
      try console.write(Self.page(apps, away: Set(devices.filter { !$0.isConnected }.map(\.device.deviceID))))
      for sentence in DiscrepancyText.sentences(peers, ofApplications: true) { console.note(sentence) }
      if let sentence = Self.lastRules(apps, devices) { console.note(sentence) }
    }
  }

  /// Returns a sentence for a child's machine that still has rules although no parent is paired with it.
  static func lastRules(_ apps: [AppListing], _ peers: [PeerStatus]) -> String? {
    // A parent's machine lists no rules of unpaired machines.
    guard peers.isEmpty, !apps.isEmpty else { return nil }
    let authors = Set(apps.compactMap(\.setBy)).sorted { $0.text < $1.text }.map(ShownText.quoted)
    let whose = authors.isEmpty ? "" : ", set by \(authors.joined(separator: " and ")),"
    return "No parent is paired with this machine now. It keeps the last rules\(whose) until a parent is paired again."
  }

  /// Returns the table, with values that are equal in all rows stated once below it.
  ///
  /// - Parameters:
  ///   - apps: The applications.
  ///   - away: The machines that are not connected.
  /// - Returns: The page.
  static func page(_ apps: [AppListing], away: Set<DeviceID> = []) -> String {
    var headings = ["Machine", "Application", "Category", "Points/min", "Blocked", "Limit/day"]
    // Only if people gave names in addition to the IDs.
    let hasIDs = apps.contains { $0.configuration.displayName != $0.configuration.appID.text }
    let states = apps.map { state($0, isAway: away.contains($0.device)) }
    let hasStates = states.contains { !$0.isEmpty }
    if hasIDs { headings.append("ID") }
    if hasStates { headings.append("State") }
    let rows = zip(apps, states).map { app, state in
      rules(app) + (hasIDs ? [app.configuration.appID.text] : []) + (hasStates ? [state] : [])
    }
    let table = TableText.render(
      headings, numbers: [3], spare: hasIDs ? [6] : [], wrap: hasStates ? [headings.count - 1] : [], rows: rows,
      empty: "No application has rules.")
    return table + Set(apps.compactMap(\.enforcement)).sorted { $0.rawValue < $1.rawValue }.map(sentence).joined()
  }

  private static func rules(_ listing: AppListing) -> [String] {
    let app = listing.configuration
    return [
      listing.deviceName.text, app.displayName, app.category.rawValue,
      app.category == .neutral ? "–" : PointsText.text(app.milliPointsPerMinute),
      app.isEnabled ? (app.isBlocked ? "blocked" : "no") : "rules off",
      app.dailyLimitMinutes.map(SpanText.minutes) ?? "none",
    ]
  }

  /// Returns the difference of a row from one whose rules have arrived; empty if there is none.
  private static func state(_ listing: AppListing, isAway: Bool) -> String {
    var words: [String] = []
    let onItsWay = isAway ? "waits for \(listing.deviceName)" : "on its way"
    switch listing.lastCommand {
    case nil, .executed?: if listing.enforcement == nil { words.append(onItsWay) }
    case .queued?: words.append(onItsWay)
    case .stored?: words.append(isAway ? "stored there, unanswered" : "on its way")
    case let status?: words.append("last command \(status.rawValue)")
    }
    if listing.discrepancy != nil { words.append("it says otherwise, see below") }
    return words.joined(separator: "; ")
  }

  private static func sentence(_ enforcement: Enforcement) -> String {
    let words =
      switch enforcement {
      case .recorded: "Rules are recorded and shown on the child's machine; this version does not close applications."
      case .enforced: "Rules are enforced on the child's machine."
      }
    return words.inWidth + "\n"
  }
}
