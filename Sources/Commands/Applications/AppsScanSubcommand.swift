import ArgumentParser
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct AppsScanSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Show which applications are installed on a child's machine.",
    discussion: """
      The machine looks through its menus, Flatpaks and packages, and suggests a category for learning programs and games. If it \
      is off, this shows what it has told before. On a child's machine it shows that machine's own.

      Example: latchkey apps scan --on "Emma's PC"
      """)

  @OptionGroup var node: NodeOptions

  @Option(on: "The child's machine; may be left out if there is only one.") var on: String?

  @Option(wait: "Wait for a machine that is off, at most this long.") var wait: WaitingTime?

  @Option(help: .value("table|json|csv", "How to write it.")) var format: UsageFormat = .table

  /// How long a connected machine is waited for, in seconds.
  private static let patience = 10

  func run() async throws {
    let interface = try await node.open()
    let known = try await Self.machine(on, at: interface)
    let peer = try await interface.ask(Endpoints.getDevices).first { $0.device.deviceID == known.deviceID }
    guard let peer, peer.isConnected || wait != nil else {
      try write(known)
      return tell(of: known, peer)
    }
    let ended = try await scan(known, at: interface)
    let number = ended?.stateInForce?.as(ApplicationsScanned.self)?.number
    let found = try await interface.ask(Endpoints.getInstalled, (known.deviceID.description, number))
    try write(found.first ?? known)
    if number == nil { try tell(of: ended, found.first ?? known, peer) }
  }

  private static func machine(_ text: String?, at node: any NodeInterface) async throws -> InstalledListing {
    let machines = try await node.ask(Endpoints.getInstalled, (text, nil))
    guard let machine = machines.first else {
      throw TerminalFailure(.unknownName, "No child's machine is paired yet: run `latchkey pair` here and there.")
    }
    guard machines.count == 1 else {
      let names = machines.map { ShownText.quoted($0.deviceName) }.joined(separator: ", ")
      throw TerminalFailure(
        .unknownName,
        "There are several children's machines: name one with --on, such as --on "
          + "\(ShellWord.machine(machine.deviceName, machine.deviceID)). They are \(names).")
    }
    return machine
  }

  /// Asks the machine to look, and returns the command as it is when the time is up.
  private func scan(_ machine: InstalledListing, at node: any NodeInterface) async throws -> ConfigurationCommand? {
    let command = try await node.ask(
      Endpoints.issue, CommandRequest(device: machine.deviceID.description, action: .scanApplications))
    return try await CommandWaiter(node: node).wait(
      command.commandID.description, seconds: wait?.seconds ?? Self.patience)
  }

  private func write(_ machine: InstalledListing) throws {
    switch format {
    case .json: try console.write(JSONText.pretty(machine))
    case .csv: try console.write(InstalledText.csv(machine))
    case .table:
      try console.write(InstalledText.table(machine))
      if machine.more > 0 {
        console.note(
          "\(ShownText.count(machine.more, "application")) more than a list holds were found, and are missing here.")
      }
    }
  }

  /// Says how old the list of a machine that was not asked is.
  private func tell(of machine: InstalledListing, _ peer: PeerStatus?) {
    // A child's own node lists what it has found itself.
    guard let peer else { return }
    console.note(Self.age(of: machine, peer))
  }

  private static func age(of machine: InstalledListing, _ peer: PeerStatus) -> String {
    let environment = TerminalEnvironment.current
    let name = ShownText.safe(machine.deviceName.text)
    guard machine.toldAt != nil else {
      return peer.isConnected
        ? "\(name) has not told which applications it has: try again in a minute."
        : "\(name) \(DeviceText.away(EditedMachine(peer), now: environment.now())). It tells which applications it has when it is back."
    }
    guard !peer.isConnected, let seen = peer.device.lastSeenAt else { return "That is what \(name) has told before." }
    return "As of \(TimeText.short(seen, zone: environment.timeZone)); \(name) is off."
  }

  /// Says why a machine that was asked has not answered.
  private func tell(of command: ConfigurationCommand?, _ machine: InstalledListing, _ peer: PeerStatus) throws {
    tell(of: machine, peer)
    let isOver = command?.status.isFinal ?? false
    guard isOver || wait != nil else {
      return console.note(
        "\(ShownText.safe(machine.deviceName.text)) has not answered yet; `latchkey commands wait last` waits for it.")
    }
    try CommandEnd.tell(
      command, id: "last", machine: machine.deviceName, format: .json, time: wait ?? WaitingTime.usual)
  }
}

private enum InstalledText {
  static func table(_ machine: InstalledListing) -> String {
    TableText.render(
      ["Application", "ID", "Version", "Suggested", "Set"], spare: [2, 3], wrap: [0, 4],
      rows: machine.apps.map { app in
        [
          app.displayName, app.appID.text, upstream(app.version), app.suggestion?.rawValue ?? "–",
          settings(app.settings),
        ]
      },
      empty: machine.toldAt == nil
        ? "Nothing is known yet of what is installed on \(ShownText.safe(machine.deviceName.text))."
        : "No applications were found on \(ShownText.safe(machine.deviceName.text)).")
  }

  /// Returns the program's version without a package's parts, such as `1.4` of `1:1.4+dfsg-2`.
  private static func upstream(_ version: String) -> String {
    var text = Substring(version)
    if let colon = text.firstIndex(of: ":"), text[..<colon].allSatisfy(\.isNumber) {
      text = text[text.index(after: colon)...]
    }
    if let dash = text.lastIndex(of: "-"), dash > text.startIndex { text = text[..<dash] }
    if let suffix = text.firstRange(of: "+dfsg") { text = text[..<suffix.lowerBound] }
    return text.isEmpty ? version : String(text)
  }

  /// Returns what is set for an application, with the children's names where it differs.
  private static func settings(_ settings: [InstalledListing.Setting]) -> String {
    let words = settings.map(words)
    guard Set(words).count > 1 else { return words.first ?? "–" }
    return zip(settings, words).map { "\(ShownText.safe($0.childName.text)): \($1)" }.joined(separator: "; ")
  }

  private static func words(_ setting: InstalledListing.Setting) -> String {
    var words: [String] = []
    if setting.isBlocked { words.append("blocked") }
    if setting.isAlwaysAllowed { words.append("always allowed") }
    if let category = setting.category { words.append(category.rawValue + (setting.isByDefault ? " by default" : "")) }
    if let limit = setting.limit {
      let limits = try? DayLimits(limit)
      words.append((limits?.words ?? limit) + (limits?.hasHours == true ? "" : " a day"))
    }
    return words.isEmpty ? "–" : words.joined(separator: ", ")
  }

  private static let csvHeader = [
    "deviceName", "appID", "displayName", "version", "suggestion", "childName", "category", "isByDefault", "isBlocked",
    "isAlwaysAllowed", "limit",
  ]

  /// Returns a row for each application and child.
  static func csv(_ machine: InstalledListing) -> String {
    let rows = machine.apps.flatMap { app -> [[String]] in
      let first = [
        machine.deviceName.text, app.appID.text, app.displayName, app.version, app.suggestion?.rawValue ?? "",
      ]
      guard !app.settings.isEmpty else { return [first + Array(repeating: "", count: 6)] }
      return app.settings.map { setting in
        first + [
          setting.childName.text, setting.category?.rawValue ?? "", String(setting.isByDefault),
          String(setting.isBlocked), String(setting.isAlwaysAllowed), setting.limit ?? "",
        ]
      }
    }
    return CSVText.render(csvHeader, rows: rows)
  }
}
