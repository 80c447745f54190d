import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeySystem
import Logging
import Synchronization

/// The state that all parts of a running node share.
final class NodeContext: Sendable {
  let configuration: NodeConfiguration
  let folder: StateFolder
  let profile: NodeProfile
  let store: Store
  let logger: Logger
  let bootID: String
  /// A random ID of 16 bytes, new with each start.
  let runID = SecureRandom.bytes(16)
  /// Signals a change that a person may be waiting for.
  let changes = ChangeSignal()
  /// Signals a change in the state of peers.
  let syncChanges = ChangeSignal()
  private let commandIDs: Mutex<CommandIDClock>
  private let keys: Mutex<KeyFile>
  /// The household's discovery keys that a device may still use, newest first; on the parent that
  /// founded the household.
  private let heldKeys = Mutex<[[UInt8]]>([])
  /// Signals new discovery keys, so that announcements and recognition change.
  let discoveryKeyChanges = ChangeSignal()
  let diskChanges = ChangeSignal()
  /// Signals that commands that can expire were queued, or that it is time to look for expired
  /// ones.
  let expiryChanges = ChangeSignal()
  /// Signals that an effect is to be carried out, or has had its outcome.
  let effectChanges = ChangeSignal()
  /// Signals that a machine was paired or told of what it holds, or that somebody has changed the
  /// household.
  let householdNews = ChangeSignal()
  /// Reads the children of the family with their machines and rules.
  private let households: HouseholdReader
  /// Signals new facts about children, or that what they lead to may have changed.
  let factNews = ChangeSignal()
  /// The children for whom somebody wants points at this machine, and until when in milliseconds of
  /// the boot clock.
  let wantedPoints = Mutex<[ChildID: Int64]>([:])
  /// The waits of children's rewards for points of another machine.
  let loanWaits = Mutex(LoanWaits())
  /// Signals that machines that were paired have become those of their children.
  let ownersKnown = ChangeSignal()
  /// Signals that somebody has said who is there in an account that several children share.
  let presenceChanges = ChangeSignal()
  /// Signals that something is known of use that was not known before.
  let useNews = ChangeSignal()
  let sessions: OpenSessions
  let notices: NoticeBoard
  /// What has changed at this node, for those who follow it.
  let feed: ChangeFeed
  let bridges = BridgeBoard()
  /// What is looked at before peers' items are stored.
  let firstLooks: FirstLooks
  /// The time by which rules apply.
  let time: HouseholdTime
  /// Signals that the kernel reported a change of interfaces or addresses.
  let networkChanges = ChangeSignal()
  /// The members that this node recognizes in announcements, and those that are not connected.
  let members = KnownMembers()
  let port: UInt16
  private let ownNetwork: Mutex<OwnNetwork>
  private let seenNearby = Atomic(1)
  private let toldCrowd: Atomic<Int>
  private let notes = Mutex<[String: String]>([:])
  private let ownLabel: Mutex<DeviceLabel>

  init(
    configuration: NodeConfiguration, folder: StateFolder, profile: NodeProfile, keys: KeyFile, store: Store,
    label: DeviceLabel?, newestCommand: CommandID?, clock: StoredClock?, bootID: String?, port: UInt16, crowd: Int,
    logger: Logger
  ) {
    ownLabel = Mutex(label ?? DeviceLabel(profile.name))
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
    // Without a boot ID, nothing is taken to belong to this boot: codes expire and usage sessions
    // end with each start.
    let boot = bootID ?? "unknown-\(Hexadecimal.encode(runID))"
    self.bootID = boot
    households = HouseholdReader(store, own: profile.deviceID, bootID: boot)
    sessions = OpenSessions(bootID: boot)
    firstLooks = FirstLooks(profile.role == .child ? [.answers, .rules] : [])
    let first = Int(clamping: SystemClock.boot.microseconds)
    (notices, feed) = (NoticeBoard(numbersFrom: first), ChangeFeed(store, numbersFrom: first))
    time = HouseholdTime(isChild: profile.role == .child, clock) {
      ClockReading(bootID: boot, boot: BootClock.now(), wall: WallClock.now(), isVouched: WallClock.isKept)
    }
  }

  /// This machine's addresses when they were last read.
  var network: OwnNetwork { ownNetwork.withLock { $0 } }

  /// Reads this machine's addresses, and returns the previous and the present ones.
  func lookAtNetwork() -> (before: OwnNetwork, after: OwnNetwork) {
    let now = OwnNetwork.current(interfaces: configuration.interfaces)
    return ownNetwork.withLock { network in
      let before = network
      if let now { network = now }
      return (before, network)
    }
  }

  /// The number of nodes that announce themselves nearby, known or not.
  var nearby: Int {
    get { seenNearby.load(ordering: .relaxed) }
    set { seenNearby.store(newValue, ordering: .relaxed) }
  }

  /// The number of devices with which the last connected peer is paired: siblings that may call it
  /// at the same time.
  var crowd: Int { toldCrowd.load(ordering: .relaxed) }

  /// Records how many devices a peer is paired with, and stores it for the next start.
  func note(crowd: Int) {
    let crowd = min(crowd, Limits.peers)
    guard crowd > 0, toldCrowd.exchange(crowd, ordering: .relaxed) != crowd else { return }
    // Losing this value costs little, so no caller waits for it.
    Task { [store] in try? await store.set(Self.crowdKey, to: String(crowd)) }
  }

  static let crowdKey = "crowd"

  var own: DeviceID { profile.deviceID }

  var label: DeviceLabel { ownLabel.withLock { $0 } }
  var name: DeviceName { label.name }

  /// Takes over another name of this device, which is durable.
  ///
  /// The profile repeats it for commands that work without the node.
  func renamed(_ label: DeviceLabel) {
    ownLabel.withLock { $0 = label }
    do {
      // The file may have changed since the start.
      var profile = try NodeProfile.load(folder)
      profile.name = label.name
      try profile.save(folder)
    } catch {
      logger.warning("the profile could not be written", metadata: ["reason": "\(error)"])
    }
  }
  var identity: IdentityKeyPair { keys.withLock { $0.identity } }
  var link: LinkKeyPair { keys.withLock { $0.link } }

  /// The household's discovery key, 32 bytes; `nil` on a child that was never paired.
  var discoveryKey: [UInt8]? {
    heldKeys.withLock { $0.first }
      ?? keys.withLock { $0.discoveryKey }.map { key in key.withUnsafeBytes { Array($0) } }
  }

  /// The keys with which members of the household may announce themselves, newest first; at most
  /// `Limits.discoveryKeys`.
  var discoveryKeys: [[UInt8]] {
    let known = heldKeys.withLock { $0 }
    return known.isEmpty ? discoveryKey.map { [$0] } ?? [] : known
  }

  /// Returns the children of the family with their machines, accounts and rules, as this node knows
  /// them.
  func readHousehold() async throws(StoreError) -> Household { try await households.load() }

  /// Stores the discovery key with which this parent's household began.
  ///
  /// On a full disk, this waits for room.
  func keepFirstDiscoveryKey() async throws(StoreError) {
    guard profile.role == .parent, let key = discoveryKey else { return }
    do throws(StoreError) { try await store.keepFirst(discoveryKey: key) } catch .diskFull {}
  }

  /// Takes over the household's discovery keys from the database.
  ///
  /// The key file keeps the newest one for the case that the database is replaced.
  func reloadDiscoveryKeys() async throws(StoreError) {
    let known = try await store.discoveryKeys()
    let isNews = heldKeys.withLock { exchange(&$0, with: known) != known }
    let kept = keys.withLock { $0.discoveryKey }.map { key in key.withUnsafeBytes { Array($0) } }
    if let newest = known.first, newest != kept {
      do { try keep(discoveryKey: newest) } catch {
        warn("keys", "The household's new key could not be written to the key file (\(error)): make room on the disk.")
      }
    }
    if isNews { discoveryKeyChanges.notify() }
  }

  func keep(discoveryKey: [UInt8]) throws {
    try keys.withLock { keys in
      let changed = try keys.with(discoveryKey: SecretBytes(discoveryKey))
      try KeyFileStore(path: folder.keyFile).replace(with: changed)
      keys = changed
    }
  }

  var party: PairingParty { PairingParty(identity: identity, link: link, name: name, role: profile.role) }

  let enforcementState = EnforcementState(language: MachineLanguage.read())
  let agentCounters = AgentCounters()
  /// When the node started, in Unix milliseconds.
  let startedAt = WallClock.now()

  /// The degree to which this machine enforces rules, as its agent has said.
  var enforcement: Enforcement { enforcementState.enforcement(at: now()) }

  /// Returns the time by the clock for decisions.
  func now() -> BootInstant { BootClock.now() }

  /// Returns Unix milliseconds, for people only.
  func wall() -> Int64 { WallClock.now() }

  /// Returns a command ID that sorts after all earlier ones, even if the wall clock was set back.
  func nextCommandID(_ wall: Int64) -> CommandID {
    let random = SecureRandom.bytes(8)
    return commandIDs.withLock { $0.next(wall: wall, random: random) }
  }

  /// The current warnings, one sentence each with the next step.
  var warnings: [String] { notes.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

  /// Records a fault of the disk; `nil` if it has ended.
  func diskChanged(_ fault: StoreError?) {
    if let fault {
      logger.error("the disk has a fault", metadata: ["reason": "\(fault)"])
    } else {
      logger.notice("the disk has recovered")
    }
    warn("storage", fault?.description)
    diskChanges.notify()
  }

  /// Sets or withdraws a warning.
  ///
  /// Otherwise it lasts until the node ends.
  func warn(_ key: String, _ sentence: String?) {
    if notes.withLock({ exchange(&$0[key], with: sentence) != sentence }) { changes.notify() }
  }
}
