import ArgumentParser
import Glibc
import LatchkeyBridge
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The `latchkey bridge` subcommand.
struct BridgeSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge", abstract: "Carry to a receiver what parents are told, until told to stop.",
    discussion: """
      `latchkey receivers add` sets a receiver up. The package's user service `latchkey-bridge@NAME` runs this. It goes on by \
      itself when the node or the receiver's server was away.

      Example: latchkey bridge ntfy
      """)

  @OptionGroup var node: NodeOptions

  @Argument(help: ArgumentHelp("The receiver's name.", valueName: "name"), completion: CompletionNames.receivers)
  var name: String

  @Option(
    help: ArgumentHelp(
      "Log from this level on; info when not given.", valueName: NodeConfiguration.logLevels.joined(separator: "|")))
  var logLevel = "info"

  mutating func validate() throws {
    guard NodeConfiguration.logLevels.contains(logLevel) else {
      throw ValidationError("The levels are \(NodeConfiguration.logLevels.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    let (environment, folder) = (TerminalEnvironment.current, node.nodeFolder)
    let settings: BridgeSettings
    do { settings = try BridgeSettings.read(name, in: folder) } catch { throw TerminalFailure(.data, error.sentence) }
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

  /// Returns the line that runs the bridge of a receiver, with the node's folder if it was given.
  static func line(_ receiver: ReceiverListing, _ node: NodeOptions) -> String {
    let folder = node.stateDir == nil ? "" : " --state-dir \(NodeUnavailable.shellWord(node.nodeFolder))"
    return "latchkey bridge \(receiver.name)\(folder)"
  }

  /// The tries until a bridge that was told has ended, ten in a second.
  private static let patience = 100

  /// Waits for the bridge of a receiver that the node does not know any more to end; returns
  /// whether it has.
  static func waitForEnd(of name: String, _ folder: String) async throws -> Bool {
    for _ in 0..<patience {
      if let lock = free(name, folder) {
        close(lock)
        return true
      }
      try await TerminalEnvironment.current.pause(.milliseconds(100))
    }
    return false
  }

  /// Returns the lock of a receiver's bridge; `nil` while that runs.
  private static func free(_ name: String, _ folder: String) -> Int32? {
    do throws(TerminalFailure) { return try lock(name, folder) } catch { return nil }
  }

  /// Returns a descriptor that holds the receiver's lock: two bridges would tell everything twice.
  static func lock(_ name: String, _ folder: String) throws(TerminalFailure) -> Int32 {
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
