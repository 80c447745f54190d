import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode

/// The operations of the command line on a node in its own process, such as creating and running
/// one.
///
/// They throw `NodeStartupError`, whose sentence says what to do.
enum LocalNode {
  /// Makes every file that this process creates from now on accessible to its user only.
  private static func makePrivate() { umask(0o077) }

  /// Returns the path of the state folder of the node that a command talks to: the given one, else
  /// `LATCHKEY_STATE_DIR`, else that of the system's node if it has a socket, else the XDG state
  /// folder.
  ///
  /// - Parameters:
  ///   - explicit: The value of `--state-dir`, if it was given.
  ///   - environment: The environment variables of the process.
  /// - Returns: The path, whether or not the folder exists.
  static func nodeFolder(explicit: String?, environment: [String: String]) -> String {
    let isNamed = explicit?.isEmpty == false || environment["LATCHKEY_STATE_DIR"]?.isEmpty == false
    return !isNamed && SystemNode.isThere
      ? SystemNode.stateFolder : StateFolder.resolve(explicit: explicit, environment: environment).path
  }

  /// Creates a state folder with keys and an empty database; `tell` receives sentences for the
  /// person.
  static func initialise(
    path: String, role: DeviceRole, name: String, accounts: StatedAccounts?, tell: (String) -> Void
  ) async throws(NodeStartupError) -> DeviceID {
    makePrivate()
    return try await NodeFolder.initialise(
      StateFolder(path: path), role: role, name: name, accounts: accounts, tell: tell)
  }

  /// Declares that this machine replaces the one that a state folder comes from, and returns the
  /// node's name.
  static func keepIdentity(path: String) throws(NodeStartupError) -> DeviceName {
    makePrivate()
    return try NodeIdentity.keep(StateFolder(path: path))
  }

  /// Gives a copied state folder new keys, and returns the node's name and new ID.
  static func renewIdentity(path: String) async throws(NodeStartupError) -> (name: DeviceName, deviceID: DeviceID) {
    makePrivate()
    return try await NodeIdentity.renew(StateFolder(path: path))
  }

  /// Runs a node with its local API until it is told to stop.
  static func run(_ configuration: NodeConfiguration) async throws(NodeStartupError) {
    makePrivate()
    try await runNode(configuration)
  }

  /// Returns the agent of a node that enforces rules: the system's, or the program beside this one.
  static func agent(ofNodeIn stateFolder: String) -> AgentChoice {
    if stateFolder == SystemNode.stateFolder { return .system }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/latchkey"
    return .own(
      program: URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("latchkey-agent").path)
  }
}
