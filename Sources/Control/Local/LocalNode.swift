import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Logging

/// What the command line does with a node in its own process: make one, and run one.
public enum LocalNode {
  /// Has every file that this process makes from now on be its user's alone.
  private static func makePrivate() { umask(0o077) }

  /// Find the state folder: as given, else `LATCHKEY_STATE_DIR`, else XDG's place for state.
  ///
  /// - Parameters:
  ///   - explicit: the value of --state-dir, if there was one.
  ///   - environment: the process's variables.
  public static func stateFolder(explicit: String?, environment: [String: String]) -> String {
    StateFolder.resolve(explicit: explicit, environment: environment).path
  }

  /// Make a state folder with keys and an empty database.
  ///
  /// - Parameters:
  ///   - path: the folder, which must not hold a node yet.
  ///   - name: what people call the device; UTF-8, 1 to 64 bytes.
  ///   - tell: given sentences for the person.
  /// - Returns: the new device's ID.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func initialise(
    path: String, role: DeviceRole, name: String, tell: (String) -> Void = { _ in }
  ) async throws(LocalNodeFault) -> DeviceID {
    makePrivate()
    do {
      return try await NodeFolder.initialise(StateFolder(path: path), role: role, name: name, tell: tell)
    } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Say that this machine takes the place of the one that a state folder comes from; the node must not run.
  ///
  /// - Returns: the node's name.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func keepIdentity(path: String) throws(LocalNodeFault) -> DeviceName {
    makePrivate()
    do { return try NodeIdentity.keep(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Give a copied state folder new keys; the node must not run.
  ///
  /// - Returns: the node's name and its new ID.
  /// - Throws: `LocalNodeFault`, whose sentence says what to do.
  public static func renewIdentity(path: String) async throws(LocalNodeFault) -> (name: DeviceName, deviceID: DeviceID)
  {
    makePrivate()
    do { return try await NodeIdentity.renew(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Whether a state folder was made on this machine; changes nothing.
  ///
  /// - Returns: nil when the machine has no ID, or the folder does not say.
  /// - Throws: `LocalNodeFault` when there is no node in the folder, or it cannot be read.
  public static func isOfThisMachine(path: String) throws(LocalNodeFault) -> Bool? {
    do { return try NodeFolder.isOfThisMachine(StateFolder(path: path)) } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }

  /// Run the node of a state folder, with its local API, until it is told to stop.
  ///
  /// - Parameters:
  ///   - commands: The kinds of command that it knows.
  ///   - carriers: What carries out the effects that need something outside the database.
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
        [ControlService(node: node, stateFolder: folder, logger: logger)]
      }
    } catch {
      throw LocalNodeFault(sentence: error.message, exitStatus: error.exitStatus)
    }
  }
}

extension LocalNodeSettings {
  /// The same in the node's own words.
  fileprivate var configuration: NodeConfiguration {
    NodeConfiguration(
      stateFolder: stateFolder, port: port, interfaces: interfaces, peers: peers, discovers: discovers,
      caps: QueueCaps(items: queueItems ?? Limits.queueItems, bytes: queueBytes ?? Limits.queueBytes))
  }
}
