import Glibc
import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyDiscovery
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import LatchkeyWire
import Logging
import ServiceLifecycle

/// Run a node until SIGTERM or SIGINT: drains and leaves in under 2 s.
///
/// - Parameter services: what else runs for as long as the node, such as the local API on it.
/// - Throws: `NodeStartupError` when it cannot be started.
public func runNode(
  configuration: NodeConfiguration, logger: Logger, services: (any NodeInterface) -> [any Service]
) async throws(NodeStartupError) {
  CoreFiles.forbid()
  OpenFiles.raiseLimit()
  let node = try await RunningNode(configuration: configuration, logger: logger)
  var group = ServiceGroupConfiguration(
    services: (node.services + services(node.service)).map {
      .init(
        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  group.maximumGracefulShutdownDuration = .milliseconds(1_500)
  do {
    try await ServiceGroup(configuration: group).run()
  } catch let error as NodeStartupError { throw error } catch is CancellationError {
    // The time to drain was over; everything that was accepted is durable whatever was cut off.
  } catch { throw NodeStartupError("The node stopped (\(error)): start it again with `latchkey run`.", exitStatus: 70) }
  node.close()
  logger.notice("stopped")
}

/// A node whose folder is open, locked and checked, and whose parts wait to be run; also for programs that hold one themselves.
public final class RunningNode: Sendable {
  /// What has to run; in the order of their start.
  public let services: [any Service]
  /// What can be asked of it.
  public let service: NodeService
  /// The port it listens on.
  public let port: UInt16
  private let lock: FolderLock
  private let store: Store
  /// Keeps the keys and codes in this process's memory from other programs and core dumps, from before they are read.
  private let memory = UndumpableScope()

  /// Open the folder and bind the port.
  public init(configuration: NodeConfiguration, logger: Logger) async throws(NodeStartupError) {
    let folder = StateFolder(path: configuration.stateFolder)
    try folder.check()
    _ = try NodeProfile.load(folder)
    lock = try FolderLock(folder)
    folder.removeLeftovers()
    // Read again under the lock: what a `latchkey identity` wrote meanwhile holds.
    let profile = try NodeProfile.load(folder)
    if try !profile.checkMachine(folder) {
      logger.warning(
        "this machine has no /etc/machine-id: a copy of the state folder would not be noticed at its start")
    }
    let keys: KeyFile
    do { keys = try KeyFileStore(path: folder.keyFile).load() } catch { throw NodeStartupError(error) }
    let own = DeviceKeys(identity: keys.identity.publicKey, link: keys.link.publicKey).deviceID
    guard own == profile.deviceID else {
      throw NodeStartupError(
        "The keys in \(folder.keyFile) are not those of this node: put the right file back from a backup.",
        exitStatus: 65)
    }
    let bootID = BootID.current()
    do {
      store = try Store(
        path: folder.database, own: own, coding: MessageBodyCoding(), keys: SecureKeySource(),
        caps: configuration.caps,
        clock: StoreClock(bootID: bootID ?? Hexadecimal.encode(SecureRandom.bytes(16)), now: { BootClock.now() }),
        keepsReserve: true)
    } catch {
      throw NodeStartupError(error)
    }
    let newestCommand: CommandID?
    let crowd: Int
    do {
      newestCommand = try await store.newestCommandID()
      crowd = try await store.setting(NodeContext.crowdKey).flatMap { Int($0) } ?? 0
    } catch { throw NodeStartupError(error) }
    for peer in configuration.peers where SocketEndpoint(peer) == nil {
      throw NodeStartupError(
        "“\(DeviceName(sanitising: peer))” is no address: give --peer as host:port.", exitStatus: 64)
    }
    let listener = try await Self.listen(configuration, store)
    port = listener.port
    let context = NodeContext(
      configuration: configuration, folder: folder, profile: profile, keys: keys, store: store,
      newestCommand: newestCommand, bootID: bootID, port: port, crowd: crowd, logger: logger)
    await store.examineDisk()
    if let fault = store.diskFault { context.diskChanged(fault) }
    store.watchDisk { [weak context] in context?.diskChanged($0) }
    context.warn("folder", folder.parentWarning)
    #if DEBUG
      store.beforeEachCommit { CrashPoint.storeUncommitted.reached() }
    #endif
    do {
      try await context.foundHousehold()
      try await context.reloadHousehold()
    } catch { throw NodeStartupError(error) }
    if let damaged = folder.databaseSetAside {
      context.warn(
        "damaged",
        "A damaged database was set aside as \(damaged) and a new one begun: pair the devices anew or put a backup in place, "
          + "then remove that file.")
    }
    do {
      // Mostly it is the last one again: a start waits for no write that says nothing new.
      if try await store.setting("port") != String(port) { try await store.set("port", to: String(port)) }
    } catch .diskFull {
      // Peers look for it where it was, and hear of the new port when they are in touch.
    } catch { throw NodeStartupError(error) }

    let directory = LinkDirectory(context)
    do { try await directory.refreshAll() } catch { throw NodeStartupError(error) }
    let discovery = DiscoveryService(context: context, directory: directory, port: listener.port)
    let (interfaces, allowsLoopback) = (configuration.interfaces, !configuration.discovers)
    let pairing = PairingService(
      context: context, directory: directory, discovery: discovery, port: listener.port,
      codeAddress: {
        (OwnNetwork.current(interfaces: interfaces) ?? OwnNetwork())
          .forCode(interfaces: interfaces, allowsLoopback: allowsLoopback)
      })
    let usage = UsageService(context: context, directory: directory)
    service = NodeService(
      context: context, directory: directory, discovery: discovery, pairing: pairing, usage: usage,
      listening: listener.addresses)
    // Stopped in the reverse order: links say goodbye while what carries them is still there.
    services = [
      RunningPart { await DiskService(context: context, directory: directory).run() },
      RunningPart { await usage.run() }, RunningPart { await ExpiryService(context: context).run() },
      RunningPart { await discovery.run() },
      RunningPart { await NetworkWatch(context: context, directory: directory, discovery: discovery).run() },
      ListenerService(context: context, listener: listener, directory: directory, pairing: pairing),
      RunningPart { await pairing.run() }, LinkService(directory: directory),
    ]
    logger.notice(
      "running",
      metadata: [
        "name": "\(profile.name)", "role": "\(profile.role.rawValue)",
        "listening": "\(listener.addresses.joined(separator: " "))",
      ])
  }

  /// Close the database; everything is durable without this.
  public func close() {
    store.close()
  }

  /// The port that was asked for; else the last one, so that peers find us where we were; else any.
  private static func listen(_ configuration: NodeConfiguration, _ store: Store) async throws(NodeStartupError)
    -> Listener
  {
    do {
      if configuration.port == 0, let last = try? await store.setting("port"), let port = UInt16(last), port > 0 {
        do { return try await Listener(interfaces: configuration.interfaces, port: port) } catch TransportError
          .portInUse
        {}
      }
      return try await Listener(interfaces: configuration.interfaces, port: configuration.port)
    } catch { throw NodeStartupError(error) }
  }
}
