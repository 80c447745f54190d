import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeySystem
import LatchkeyTransport
import Logging
import ServiceLifecycle

/// Runs a node until SIGTERM or SIGINT, after which it ends in less than 2 s.
///
/// The local API runs with it. `commands` are the kinds of command that the node knows, and
/// `carriers` carry out the effects that need something outside the database. Throws
/// `NodeStartupError` if the node cannot be started.
public func runNode(
  _ configuration: NodeConfiguration, commands: CommandRegistry = .household, carriers: [any EffectCarrier] = []
) async throws(NodeStartupError) {
  let logger = configuration.logger
  CoreFiles.forbid()
  OpenFiles.raiseLimit()
  let node = try await RunningNode(configuration: configuration, commands: commands, carriers: carriers, logger: logger)
  var group = ServiceGroupConfiguration(
    services: (node.services + node.service.localServices).map { service in
      // Without a name, the group prints every service with all that it holds, by reflection.
      let kind: Any.Type = type(of: service)
      return .init(
        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "\(kind)")
    }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  group.maximumGracefulShutdownDuration = .milliseconds(1_500)
  do {
    try await ServiceGroup(configuration: group).run()
  } catch let error as NodeStartupError { throw error } catch is CancellationError {
    // The time to end was over. Everything that was accepted is durable, no matter what was
    // interrupted.
  } catch { throw NodeStartupError("The node stopped (\(error)): start it again with `latchkey run`.", exitStatus: 70) }
  node.close()
  logger.notice("stopped")
}

/// A node whose folder is open, locked and checked, and whose services are ready to run.
///
/// It calls its peers already. Programs can also hold one themselves.
public final class RunningNode: Sendable {
  /// The services to run, in the order of their start.
  public let services: [any Service]
  public let service: NodeService
  public let port: UInt16
  private let lock: FolderLock
  private let store: Store
  private let links: LinkService
  /// Protects the keys and codes in this process's memory from other programs and core dumps.
  ///
  /// It is created before they are read.
  private let memory = UndumpableScope()

  /// Opens the folder and binds the port.
  public init(
    configuration: NodeConfiguration, commands: CommandRegistry = .household, carriers: [any EffectCarrier] = [],
    logger: Logger
  ) async throws(NodeStartupError) {
    let folder = StateFolder(path: configuration.stateFolder)
    try folder.check()
    _ = try NodeProfile.load(folder)
    lock = try FolderLock(folder)
    folder.removeLeftovers()
    // Read again under the lock, since a `latchkey identity` command may have changed it.
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
        path: folder.database, own: own, coding: MessageBodyCoding(commands), keys: SecureKeySource(),
        caps: configuration.caps,
        clock: StoreClock(bootID: bootID ?? Hexadecimal.encode(SecureRandom.bytes(16)), now: { BootClock.now() }),
        keepsReserve: true, isStarting: true)
    } catch {
      throw NodeStartupError(error)
    }
    let newestCommand: CommandID?
    let label: DeviceLabel?
    let crowd: Int
    let clock: StoredClock?
    do {
      label = try await store.ownLabel()
      newestCommand = try await store.newestCommandID()
      clock = try await store.householdClock()
      crowd = try await store.setting(NodeContext.crowdKey).flatMap { Int($0) } ?? 0
    } catch { throw NodeStartupError(error) }
    for peer in configuration.peers where SocketEndpoint(peer) == nil {
      throw NodeStartupError(
        "“\(DeviceName(sanitising: peer))” is not an address: give --peer as host:port.", exitStatus: 64)
    }
    let listener = try await Self.listen(configuration, store)
    port = listener.port
    let context = NodeContext(
      configuration: configuration, folder: folder, profile: profile, keys: keys, store: store,
      label: label, newestCommand: newestCommand, clock: clock, bootID: bootID, port: port, crowd: crowd, logger: logger
    )
    await store.examineDisk()
    if let fault = store.diskFault { context.diskChanged(fault) }
    store.watchDisk { [weak context] in context?.diskChanged($0) }
    if let warning = folder.parentWarning { logger.warning("\(warning)") }
    #if DEBUG
      store.beforeEachCommit { CrashPoint.storeUncommitted.reached() }
    #endif
    do {
      try await context.keepFirstDiscoveryKey()
      try await context.reloadDiscoveryKeys()
      try await context.sessions.read(from: store)
    } catch { throw NodeStartupError(error) }
    if let damaged = folder.databaseSetAside {
      context.warn(
        "damaged",
        "The database was damaged, was set aside as \(damaged), and was replaced by a new one: pair the devices again or put a "
          + "backup in its place, then remove that file.")
    }
    do {
      // The port is usually the same as last time, so a start does not wait for an unnecessary
      // write.
      if try await store.setting("port") != String(port) { try await store.set("port", to: String(port)) }
    } catch .diskFull {
      // Peers look for the node at its previous port, and learn the new one when they are
      // connected.
    } catch { throw NodeStartupError(error) }

    if profile.role == .child, configuration.agent != .none {
      // Before the first edit can arrive.
      context.enforcementState.expectAgent(at: context.now())
    }
    let directory = LinkDirectory(context)
    do { try await directory.refreshAll() } catch { throw NodeStartupError(error) }
    let discovery = DiscoveryService(context: context, directory: directory, port: listener.port)
    // Before the first Hello, which says with how many devices this one is paired.
    await discovery.takeMembers()
    // Peers are called from here on.
    links = LinkService(directory: directory)
    let (interfaces, allowsLoopback) = (configuration.interfaces, !configuration.discovers)
    let pairing = PairingService(
      context: context, directory: directory, discovery: discovery, port: listener.port,
      codeAddress: {
        (OwnNetwork.current(interfaces: interfaces) ?? OwnNetwork())
          .forCode(interfaces: interfaces, allowsLoopback: allowsLoopback)
      })
    let usage = UsageService(context: context, directory: directory)
    let applications = ApplicationService(context: context, directory: directory)
    var ofRole: [any Service] = []
    let refused = RefusedProgramService(context: context, directory: directory)
    if profile.role == .child, configuration.agent != .none {
      ofRole = [RunningPart { await AgentService(context: context, usage: usage, refused: refused).run() }]
    }
    if profile.role == .child {
      ofRole.append(RunningPart { await ConditionService(context: context, directory: directory).run() })
      ofRole.append(RunningPart { await refused.run() })
    }
    service = NodeService(
      context: context, directory: directory, discovery: discovery, pairing: pairing, usage: usage,
      listening: listener.addresses)
    let node = service
    if profile.role == .child {
      ofRole.insert(RunningPart { await AnswerNoticeService(node: node).run() }, at: 0)
    } else {
      ofRole.append(RunningPart { await ParentNoticeService(node: node).run() })
    }
    // Stopped in reverse order, so that links can send their goodbyes.
    services =
      [
        RunningPart { await DiskService(context: context, directory: directory).run() },
        RunningPart { await DiskService(context: context, directory: directory).examine() },
        RunningPart { await ResidentMemory.releaseRepeatedly() },
        RunningPart { await usage.run() },
        RunningPart {
          await directory.firstSession()
          context.store.hasStarted()
          await ExpiryService(context: context, directory: directory).run()
        },
        RunningPart {
          let all = carriers + [applications, EditCarrier(context: context)]
          await EffectService(context: context, directory: directory, carriers: all).run()
        },
        RunningPart { await HouseholdService(context: context, directory: directory).run() },
        RunningPart {
          await directory.firstSession()
          await AccountService(context: context, directory: directory).run()
        },
        RunningPart { await PresenceService(context: context, usage: usage).run() },
        RunningPart {
          await directory.firstSession()
          await applications.run()
        },
        RunningPart {
          await directory.firstSession()
          await PointsService(context: context, directory: directory).run()
        },
        RunningPart { await HouseholdClockService(context: context).run() },
        RunningPart { await RulesService(context: context, usage: usage).run() },
        RunningPart { await discovery.run() },
        RunningPart { await NetworkWatch(context: context, directory: directory, discovery: discovery).run() },
        ListenerService(context: context, listener: listener, directory: directory, pairing: pairing),
        RunningPart { await pairing.run() }, links,
      ] + ofRole
    logger.notice(
      "running",
      metadata: [
        "name": "\(context.name)", "role": "\(profile.role.rawValue)",
        "listening": "\(listener.addresses.joined(separator: " "))",
      ])
  }

  /// Closes the database, and ends the calls of a node whose services have not run.
  ///
  /// All data is durable without this.
  public func close() {
    links.end()
    store.close()
  }

  /// Listens on the configured port or, if there is none, on the last one, so that peers find it
  /// again, or on any.
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
