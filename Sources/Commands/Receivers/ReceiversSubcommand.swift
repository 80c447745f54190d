import ArgumentParser
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

struct ReceiversSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receivers", abstract: "Phones and home automation that are told what parents are told.",
    discussion: """
      A receiver is set up on a parent's machine. Its bridge, `latchkey bridge`, carries to it what parents are told and, if a \
      parent allows that, brings answers back.

      Example: latchkey receivers
      """, subcommands: [ReceiversListSubcommand.self, ReceiversAddSubcommand.self, ReceiversRemoveSubcommand.self],
    defaultSubcommand: ReceiversListSubcommand.self)
}

struct ReceiversListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the receivers: what each may do, and whether its bridge works.",
    discussion: "Example: latchkey receivers list --format json")

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let receivers = try await listing.node.open().ask(Endpoints.getReceivers)
    if listing.format == .json { return try console.write(JSONText.pretty(receivers)) }
    try console.write(
      TableText.render(
        ["Name", "Kind", "May", "State"], wrap: [2, 3],
        rows: receivers.map { [$0.name, $0.kind.rawValue, Self.rights($0), state($0)] },
        empty: "There are no receivers: `latchkey receivers add` sets one up."))
  }

  static func rights(_ receiver: ReceiverListing) -> String {
    guard !receiver.rights.isEmpty else { return "read" }
    var parts = receiver.rights.map(\.rawValue)
    if receiver.rights.contains(where: { $0 == .answer || $0 == .grant }) {
      parts.append("\(receiver.usedMinutes) of \(receiver.mostMinutes) min given today")
    }
    if receiver.rights.contains(.points) {
      parts.append("\(receiver.usedMilliPoints / 1_000) of \(receiver.mostMilliPoints / 1_000) points given today")
    }
    return parts.joined(separator: ", ")
  }

  private func state(_ receiver: ReceiverListing) -> String {
    guard receiver.isRunning else { return "not running: type `\(BridgeSubcommand.line(receiver, listing.node))`" }
    guard let fault = receiver.fault else { return "works" }
    let since = receiver.faultSince.map { "since \(TimeText.short($0, zone: TerminalEnvironment.current.timeZone)): " }
    return (since ?? "") + fault
  }
}

struct ReceiversAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Set up a receiver, or set one up anew.",
    discussion: "Example: latchkey receivers add ntfy --server https://ntfy.example.org --may answer --at-most 60m",
    subcommands: [AddNtfySubcommand.self, AddWebhookSubcommand.self, AddMQTTSubcommand.self])
}

struct ReceiversRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a receiver, whose bridge can do nothing from then on.",
    discussion: "Example: latchkey receivers remove phone")

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("name", "The receiver's name."), completion: CompletionNames.receivers) var name: String

  func run() async throws {
    let folder = node.nodeFolder
    let settings = BridgeSettings.known(name, folder)
    let opened = try await node.open()
    let children = settings?.kind == .mqtt ? try await opened.ask(Endpoints.getChildren).map(\.childID) : []
    _ = try await opened.ask(Endpoints.deleteReceiver, name)
    unlink(BridgeSettings.path(of: name, in: folder))
    unlink(BridgeSettings.record(of: name, in: folder))
    console.note(
      "“\(name)” is removed. If its bridge runs as a service, end that with `systemctl --user disable --now "
        + "latchkey-bridge@\(name)`.")
    guard let settings, settings.kind == .mqtt else { return }
    console.note(
      "What it has shown in Home Assistant is removed from the broker, which takes up to half a minute. If that is "
        + "interrupted, set “\(name)” up again with the same broker and remove it, which removes the rest.")
    // While its bridge ran, it would write again what is cleared.
    let isOver = try await BridgeSubcommand.waitForEnd(of: name, folder)
    do throws(BridgeFault) {
      guard isOver else { throw BridgeFault("Its bridge goes on: end it.") }
      try await MQTTBridge(settings).clear(Self.bridge(settings, folder), of: children)
    } catch {
      console.note(
        "What it has shown in Home Assistant is still at the broker. \(error.sentence) Then set “\(name)” up again and "
          + "remove it, which clears that.")
    }
  }

  /// Returns the bridge of a receiver that the node no longer knows.
  private static func bridge(_ settings: BridgeSettings, _ folder: String) -> Bridge {
    Bridge(settings.name, logger: NodeConfiguration(stateFolder: folder, logLevel: "error").logger) { _ in
      throw LocalAPIError(.forbidden, "The receiver was removed.")
    }
  }
}

struct BridgeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge", abstract: "Carry to a receiver what parents are told, until told to stop.",
    discussion: """
      `latchkey receivers add` sets a receiver up. The package's user service `latchkey-bridge@NAME` runs this. It goes on by \
      itself when the node or the receiver's server was away.

      Example: latchkey bridge ntfy
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: .value("name", "The receiver's name."), completion: CompletionNames.receivers) var name: String

  @Option(
    help: .value(NodeConfiguration.logLevels.joined(separator: "|"), "Log from this level on; info when not given."))
  var logLevel = "info"

  mutating func validate() throws {
    guard NodeConfiguration.logLevels.contains(logLevel) else {
      throw ValidationError("The levels are \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    let (environment, folder) = (TerminalEnvironment.current, node.nodeFolder)
    let settings = try BridgeSettings.read(name, in: folder)
    let lock = try Self.lock(name, folder)
    defer { close(lock) }
    let bridge = Bridge(
      settings.name, logger: NodeConfiguration(stateFolder: folder, logLevel: logLevel).logger,
      record: BridgeSettings.record(of: settings.name, in: folder), pages: { PhonePlace.read(in: folder)?.link },
      open: { try await environment.openBridge(folder, settings.token, $0) })
    do {
      try await environment.runUntilInterrupted { try await BridgeKinds.run(settings, bridge) }
    } catch let fault as BridgeFault {
      throw TerminalFailure(.configuration, fault.sentence)
    }
  }

  /// Returns the command that runs the bridge of a receiver.
  static func line(_ receiver: ReceiverListing, _ node: NodeOptions) -> String {
    let folder = node.stateDir == nil ? "" : " --state-dir \(NodeUnavailable.shellWord(node.nodeFolder))"
    return "latchkey bridge \(receiver.name)\(folder)"
  }

  /// The number of looks, ten in a second, whether a bridge has ended.
  private static let patience = 100

  /// Waits for the end of a removed receiver's bridge; returns whether it has ended.
  static func waitForEnd(of name: String, _ folder: String) async throws -> Bool {
    for _ in 0..<patience {
      do throws(TerminalFailure) {
        close(try lock(name, folder))
        return true
      } catch {}
      try await TerminalEnvironment.current.pause(.milliseconds(100))
    }
    return false
  }

  /// Returns a descriptor that holds the receiver's lock: two bridges would tell everything twice.
  private static func lock(_ name: String, _ folder: String) throws(TerminalFailure) -> Int32 {
    let path = BridgeSettings.folder(in: folder) + "/\(name).lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw TerminalFailure(
        .cannotCreate, "\(path) cannot be made (\(String(cString: strerror(errno)))): check the folder's rights.")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw TerminalFailure(.tryAgain, "The bridge of “\(name)” runs already: end that one first, or leave it running.")
    }
    return descriptor
  }
}
