import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import Logging
import Synchronization

/// What every part of a running node shares.
final class NodeContext: Sendable {
  let configuration: NodeConfiguration
  let folder: StateFolder
  let profile: NodeProfile
  let store: Store
  let logger: Logger
  let bootID: String
  /// 16 bytes, new with each start.
  let runID = SecureRandom.bytes(16)
  /// Something that a person may be waiting for has changed.
  let changes = ChangeSignal()
  /// The state of peers, for whoever follows it.
  let syncChanges = ChangeSignal()
  private let commandIDs: Mutex<CommandIDClock>
  private let keys: Mutex<KeyFile>
  /// On the parent that founded the household: its discovery keys that somebody may still hold, newest first.
  private let household = Mutex<[[UInt8]]>([])
  /// The household's discovery keys have changed: announce and recognise anew.
  let householdChanges = ChangeSignal()
  /// The disk has a fault, another one, or none any more.
  let diskChanges = ChangeSignal()
  /// Commands that can run out were given, or it is time to look for some that have.
  let expiryChanges = ChangeSignal()
  /// The kernel says that interfaces or addresses have changed.
  let networkChanges = ChangeSignal()
  /// The clock of all links.
  let alarm = LinkAlarm()
  /// Whom this node recognises by what is announced, and whom of them it misses.
  let members = KnownMembers()
  /// The TCP port of the listener.
  let port: UInt16
  private let ownNetwork: Mutex<OwnNetwork>
  private let seenNearby = Atomic(1)
  private let toldCrowd: Atomic<Int>
  private let notes = Mutex<[String: String]>([:])

  init(
    configuration: NodeConfiguration, folder: StateFolder, profile: NodeProfile, keys: KeyFile, store: Store,
    newestCommand: CommandID?,
    bootID: String?, port: UInt16, crowd: Int, logger: Logger
  ) {
    self.port = port
    toldCrowd = Atomic(min(max(crowd, 0), Limits.peers))
    ownNetwork = Mutex(OwnNetwork.current(interfaces: configuration.interfaces) ?? OwnNetwork())
    self.configuration = configuration
    self.folder = folder
    self.profile = profile
    self.keys = Mutex(keys)
    commandIDs = Mutex(CommandIDClock(after: newestCommand))
    self.store = store
    self.logger = logger
    // Without a boot ID nothing is taken to be of this boot: codes run out and sessions end with each start.
    self.bootID = bootID ?? "unknown-\(Hexadecimal.encode(runID))"
  }

  /// This machine's addresses, as they were looked at last.
  var network: OwnNetwork { ownNetwork.withLock { $0 } }

  /// Look at this machine's addresses; gives what was known before, and what is known now.
  func lookAtNetwork() -> (before: OwnNetwork, after: OwnNetwork) {
    let now = OwnNetwork.current(interfaces: configuration.interfaces)
    return ownNetwork.withLock { network in
      let before = network
      if let now { network = now }
      return (before, network)
    }
  }

  /// Nodes that announce themselves nearby, whoever they are.
  var nearby: Int {
    get { seenNearby.load(ordering: .relaxed) }
    set { seenNearby.store(newValue, ordering: .relaxed) }
  }

  /// Devices that the peer which was met last is paired with: siblings, which want of it what this one wants.
  var crowd: Int { toldCrowd.load(ordering: .relaxed) }

  /// A peer says how many devices it is paired with; it is remembered for the next start.
  func note(crowd: Int) {
    let crowd = min(crowd, Limits.peers)
    guard crowd > 0, toldCrowd.exchange(crowd, ordering: .relaxed) != crowd else { return }
    // Losing it costs a little work of responders, so nobody waits for it.
    Task { [store] in try? await store.set(Self.crowdKey, to: String(crowd)) }
  }

  /// The setting that holds `crowd`.
  static let crowdKey = "crowd"

  var own: DeviceID { profile.deviceID }
  var identity: IdentityKeyPair { keys.withLock { $0.identity } }
  var link: LinkKeyPair { keys.withLock { $0.link } }

  /// The household's discovery key, 32 bytes; nil on a child that was never paired.
  var discoveryKey: [UInt8]? {
    household.withLock { $0.first }
      ?? keys.withLock { $0.householdDiscoveryKey }.map { key in key.withUnsafeBytes { Array($0) } }
  }

  /// The keys that members of the household may announce themselves with, newest first; at most `Limits.discoveryKeys`.
  var discoveryKeys: [[UInt8]] {
    let known = household.withLock { $0 }
    return known.isEmpty ? discoveryKey.map { [$0] } ?? [] : known
  }

  /// Has the database know the discovery key that this parent's household began with; on a full disk that waits for room.
  func foundHousehold() async throws(StoreError) {
    guard profile.role == .parent, let key = discoveryKey else { return }
    do throws(StoreError) { try await store.foundHousehold(discoveryKey: key) } catch .diskFull {}
  }

  /// Take over what the database says of the household's discovery keys. The key file holds the newest, so that a database
  /// begun anew has it.
  func reloadHousehold() async throws(StoreError) {
    let known = try await store.discoveryKeys()
    let isNews = household.withLock { held in
      defer { held = known }
      return held != known
    }
    let kept = keys.withLock { $0.householdDiscoveryKey }.map { key in key.withUnsafeBytes { Array($0) } }
    if let newest = known.first, newest != kept {
      do { try keep(discoveryKey: newest) } catch {
        warn("keys", "The household's new key could not be written to the key file (\(error)): make room on the disk.")
      }
    }
    if isNews { householdChanges.notify() }
  }

  /// Keep the household's discovery key, durably.
  func keep(discoveryKey: [UInt8]) throws {
    try keys.withLock { keys in
      let changed = try keys.with(householdDiscoveryKey: SecretBytes(discoveryKey))
      try KeyFileStore(path: folder.keyFile).replace(with: changed)
      keys = changed
    }
  }

  var party: PairingParty {
    PairingParty(identity: identity, link: link, name: profile.name, role: profile.role)
  }

  /// How far this machine holds to rules: nothing here closes programs yet, and nobody is told otherwise.
  var enforcement: Enforcement { .recorded }

  /// The clock for decisions.
  func now() -> BootInstant { BootClock.now() }

  /// Unix milliseconds; for people only.
  func wall() -> Int64 { WallClock.now() }

  /// A command's ID, which sorts after all that were given before, also when the wall clock was set back.
  func nextCommandID(_ wall: Int64) -> CommandID {
    let random = SecureRandom.bytes(8)
    return commandIDs.withLock { $0.next(wall: wall, random: random) }
  }

  /// Things a person should know, one sentence each with a next step.
  var warnings: [String] {
    notes.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Take note of what is wrong with the disk; nil when that is over.
  func diskChanged(_ fault: StoreError?) {
    if let fault {
      logger.error("the disk is at fault", metadata: ["reason": "\(fault)"])
    } else {
      logger.notice("the disk is well again")
    }
    warn("storage", fault?.description)
    diskChanges.notify()
  }

  /// Says or takes back a warning. One that is not taken back ends with the node.
  func warn(_ key: String, _ sentence: String?) {
    notes.withLock { $0[key] = sentence }
    changes.notify()
  }
}
