import ArgumentParser
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode

/// The `latchkey receivers` subcommand.
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

/// The `latchkey receivers list` subcommand.
struct ReceiversListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the receivers: what each may do, and whether its bridge works.",
    discussion: "Example: latchkey receivers list --format json")

  @OptionGroup var node: NodeOptions
  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let receivers = try await node.open().ask(Endpoints.getReceivers)
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
    guard receiver.isRunning else { return "not running: type `\(BridgeSubcommand.line(receiver, node))`" }
    guard let fault = receiver.fault else { return "works" }
    let since = receiver.faultSince.map { "since \(TimeText.short($0, zone: TerminalEnvironment.current.timeZone)): " }
    return (since ?? "") + fault
  }
}

/// The `latchkey receivers add` subcommand.
struct ReceiversAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Set up a receiver, or set one up anew.",
    discussion: "Example: latchkey receivers add ntfy --server https://ntfy.example.org --may answer --at-most 60m",
    subcommands: [AddNtfySubcommand.self, AddWebhookSubcommand.self, AddMQTTSubcommand.self])
}

/// The `latchkey receivers remove` subcommand.
struct ReceiversRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a receiver, whose bridge can do nothing from then on.",
    discussion: "Example: latchkey receivers remove phone")

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The receiver's name.", valueName: "name"), completion: CompletionNames.receivers)
  var name: String

  func run() async throws {
    let (console, folder) = (TerminalEnvironment.current.console, node.nodeFolder)
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

  /// Returns the bridge of a receiver that the node does not know any more.
  private static func bridge(_ settings: BridgeSettings, _ folder: String) -> Bridge {
    Bridge(settings.name, logger: NodeConfiguration(stateFolder: folder, logLevel: "error").logger) { _ in
      throw LocalAPIError(.forbidden, "The receiver was removed.")
    }
  }
}

extension CompletionNames {
  /// Receivers, by name.
  static let receivers = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
    await ask(words) { node in try await node.ask(Endpoints.getReceivers).map(\.name) }
  }
}
