import Foundation
import Glibc
import LatchkeyAgent
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Logging
import ServiceLifecycle

/// The operations of the command line on a node in its own process, such as creating and running one.
public enum LocalNode {
  /// Makes every file that this process creates from now on accessible to its user only.
  private static func makePrivate() { umask(0o077) }

  /// Returns the path of the state folder: the given one, else `LATCHKEY_STATE_DIR`, else the XDG state folder.
  ///
  /// - Parameters:
  ///   - explicit: The value of `--state-dir`, if it was given.
  ///   - environment: The environment variables of the process.
  /// - Returns: The path, whether or not the folder exists.
  public static func stateFolder(explicit: String?, environment: [String: String]) -> String {
    StateFolder.resolve(explicit: explicit, environment: environment).path
  }

  /// Returns the path of the state folder of the node that a command talks to: the given one, else
  /// `LATCHKEY_STATE_DIR`, else that of the system's node if it has a socket, else the XDG state folder.
  ///
  /// - Parameters:
  ///   - explicit: The value of `--state-dir`, if it was given.
  ///   - environment: The environment variables of the process.
  /// - Returns: The path, whether or not the folder exists.
  public static func nodeFolder(explicit: String?, environment: [String: String]) -> String {
    let isNamed = explicit?.isEmpty == false || environment["LATCHKEY_STATE_DIR"]?.isEmpty == false
    return !isNamed && SystemNode.isThere
      ? SystemNode.stateFolder : stateFolder(explicit: explicit, environment: environment)
  }

  /// Returns whether a folder holds a node.
  public static func exists(path: String) -> Bool { StateFolder(path: path).hasProfile }

  /// Creates a state folder with keys and an empty database.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not contain a node.
  ///   - role: The role of the device.
  ///   - name: The device's name for people, 1 to 64 bytes of UTF-8.
  ///   - accounts: On a child's machine, the accounts that its owner says are a child's; `nil` if the owner says nothing.
  ///   - tell: Receives sentences for the person.
  /// - Returns: The new device's ID.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func initialise(
    path: String, role: DeviceRole, name: String, accounts: StatedAccounts? = nil, tell: (String) -> Void = { _ in }
  ) async throws(LocalNodeFault) -> DeviceID {
    makePrivate()
    do {
      return try await NodeFolder.initialise(
        StateFolder(path: path), role: role, name: name, accounts: accounts, tell: tell)
    } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Declares that this machine replaces the one that a state folder comes from.
  ///
  /// The node must not be running.
  ///
  /// - Parameter path: The state folder.
  /// - Returns: The node's name.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func keepIdentity(path: String) throws(LocalNodeFault) -> DeviceName {
    makePrivate()
    do { return try NodeIdentity.keep(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Gives a copied state folder new keys.
  ///
  /// The node must not be running.
  ///
  /// - Parameter path: The state folder.
  /// - Returns: The node's name and its new ID.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func renewIdentity(path: String) async throws(LocalNodeFault) -> (name: DeviceName, deviceID: DeviceID)
  {
    makePrivate()
    do { return try await NodeIdentity.renew(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Returns whether a state folder was created on this machine, without changing anything.
  ///
  /// - Parameter path: The state folder.
  /// - Returns: `nil` if the machine has no ID, or the folder does not contain one.
  /// - Throws: `LocalNodeFault` if the folder contains no node or cannot be read.
  public static func isOfThisMachine(path: String) throws(LocalNodeFault) -> Bool? {
    do { return try NodeFolder.isOfThisMachine(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Runs the node of a state folder, with its local API, until it is told to stop.
  ///
  /// - Parameters:
  ///   - settings: The settings from the command line.
  ///   - commands: The kinds of command that the node knows.
  ///   - carriers: What carries out effects that take place outside the database.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func run(
    _ settings: LocalNodeSettings, commands: CommandRegistry = .household, carriers: [any EffectCarrier] = []
  ) async throws(LocalNodeFault) {
    makePrivate()
    let format = settings.logFormat
    let level = settings.logLevel
    var logger = Logger(label: "latchkey") { _ in StandardErrorLogHandler(format: format) }
    logger.logLevel = level
    let folder = settings.stateFolder
    do {
      try await runNode(
        configuration: settings.configuration, commands: commands, carriers: carriers, logger: logger
      ) { node in
        let (up, told) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var services: [any Service] = [
          ControlService(
            node: node, stateFolder: folder, logger: logger, owner: { try? await node.owner(ofAccount: $0) },
            onRunning: { told.yield() })
        ]
        if let manager = ServiceManager.ofThisProcess() {
          services.append(ServiceManagerService(manager: manager, node: node, whenUp: up))
        }
        return services
      }
    } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }
}

extension LocalNodeSettings {
  /// The path of the agent's program: beside this one.
  private static var agentProgram: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/usr/bin/latchkey"
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("latchkey-agent").path
  }

  /// The settings as the node's own configuration.
  fileprivate var configuration: NodeConfiguration {
    NodeConfiguration(
      stateFolder: stateFolder, port: port, interfaces: interfaces, peers: peers, discovers: discovers,
      caps: QueueCaps(items: queueItems ?? Limits.queueItems, bytes: queueBytes ?? Limits.queueBytes),
      agent: !enforces ? .none : stateFolder == SystemNode.stateFolder ? .system : .own(program: Self.agentProgram))
  }
}
