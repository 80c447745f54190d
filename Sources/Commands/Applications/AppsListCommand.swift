import ArgumentParser
import LatchkeyModel

/// The command `latchkey apps list`.
struct AppsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List applications with their rules.",
    discussion: """
      On a parent's machine the last column tells whether the rules have reached the child's machine, and whether they \
      are recorded or enforced there.

      Example: latchkey apps list --device "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  @Option(help: "Only those of this machine.")
  var device: String?

  func run() async throws {
    let console = CommandEnvironment.current.console
    let interface = try await node.open()
    let apps = try await interface.apps(device: device)
    switch listing.format {
    case .json: try console.write(JSONText.pretty(apps))
    case .table:
      let wanted = Set(apps.map(\.device))
      let devices = try await interface.devices()
      let peers = devices.filter { device == nil || wanted.contains($0.device.deviceID) }
      try console.write(
        TableText.render(
          ["Machine", "Application", "Name", "Category", "Points/min", "Blocked", "Limit/day", "State"], numbers: [4],
          spare: [2, 6], rows: apps.map(Self.row), empty: "No application has rules."))
      for sentence in DiscrepancyText.sentences(peers, ofApplications: true) { console.note(sentence) }
      if let sentence = Self.lastRules(apps, devices) { console.note(sentence) }
    }
  }

  /// Returns a sentence for a child's machine that keeps rules although no parent is paired with it any more.
  static func lastRules(_ apps: [AppListing], _ peers: [PeerStatus]) -> String? {
    // A parent's machine lists no rules of machines that are paired no more.
    guard peers.isEmpty, !apps.isEmpty else { return nil }
    let authors = Set(apps.compactMap(\.setBy)).sorted { $0.text < $1.text }.map(ShownText.quoted)
    let whose = authors.isEmpty ? "" : ", set by \(authors.joined(separator: " and "))"
    return "No parent is paired with this machine now. It keeps the last rules\(whose) until a parent is paired again."
  }

  static func row(_ listing: AppListing) -> [String] {
    let app = listing.configuration
    return [
      listing.deviceName.text, app.appID.text, app.displayName, app.category.rawValue,
      app.category == .neutral ? "–" : PointsText.text(app.milliPointsPerMinute),
      app.isEnabled ? (app.isBlocked ? "blocked" : "no") : "rules off",
      app.dailyLimitMinutes.map { "\($0) min" } ?? "none", state(listing),
    ]
  }

  private static func state(_ listing: AppListing) -> String {
    var words: [String] = []
    if let command = listing.lastCommand, command != .executed { words.append("last command \(command.rawValue)") }
    switch listing.enforcement {
    case .recorded?: words.append("recorded, not enforced")
    case .enforced?: words.append("enforced")
    case nil: if words.isEmpty { words.append("on its way") }
    }
    if listing.discrepancy != nil { words.append("it says otherwise, see below") }
    return words.joined(separator: "; ")
  }
}
