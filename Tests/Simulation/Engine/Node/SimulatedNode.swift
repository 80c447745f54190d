import LatchkeyModel
import LatchkeyProtocol

/// One machine, with a lasting disk, a process that can crash, and its own clocks.
final class SimulatedNode {
  unowned let simulation: Simulation
  let index: Int
  let device: DeviceID
  let role: DeviceRole
  /// The key for sealed frames, which a copy of the machine shares.
  let linkKey: LinkKeyPair?
  let sources: ModelSources
  /// The content of the disk.
  var store: ModelStore
  /// The number of the present process; actions that an earlier process planned are not run.
  private(set) var life = 0
  private(set) var isRunning = false
  /// A Boolean value that indicates whether the machine has power.
  private(set) var isOn = true
  private(set) var isListening = false
  /// A Boolean value that indicates whether the machine sleeps.
  private(set) var isAsleep = false
  /// The actions to run when the machine wakes.
  private var deferred: [() -> Void] = []
  private(set) var runID: [UInt8] = []
  var commandIDs = CommandIDClock(after: nil)
  var links: [LinkRunner] = []
  /// The number of the last reading of the peers on the disk, and of the last reading for each
  /// device.
  private var lastLook = 0
  var looks: [DeviceID: Int] = [:]
  /// Effects that this process carries out.
  var underWay: Set<CommandID> = []
  /// The rewards that run here and the people who redeem points, by child.
  var rewards: [ChildID: Int] = [:]
  /// A Boolean value that indicates whether a check of the points is planned, and the inputs of the
  /// last one.
  var isPointsNews = false
  var knownPoints: [ChildID: PointsSituation] = [:]
  /// The statements of other machines for which this machine has shared points.
  var servedNeeds: Set<HybridTimestamp> = []
  /// Older states of the disk, for a restore.
  var backup: ModelStore?
  /// The error of the wall clock, in milliseconds.
  var wallError: Int64 = 0
  /// The address of the machine, as a number that changes with each move.
  private(set) var place: Int
  /// The stored addresses of peers.
  var remembered: [DeviceID: (proven: [Int], told: Int?)] = [:]
  private var bootedAt: Int64 = 0
  private var sleptMilliseconds: Int64 = 0
  private var sleepsFor: Int64 = 0
  private var boots = 0
  private var earlierBoots: Int64 = 0
  private(set) lazy var disk = Disk(self)

  init(
    _ simulation: Simulation, index: Int, device: DeviceID, role: DeviceRole, linkKey: LinkKeyPair?, store: ModelStore?
  ) {
    self.simulation = simulation
    self.index = index
    self.device = device
    self.role = role
    self.linkKey = linkKey
    place = simulation.freshPlace()
    sources = ModelSources(
      coding: simulation.coding, keys: simulation.keys, freshEpoch: { [unowned simulation] in simulation.freshEpoch() },
      bootID: "boot-0", now: { BootInstant(milliseconds: 0) }, fault: simulation.fault)
    self.store = store ?? ModelStore(own: device, caps: simulation.scenario.caps, sources: sources)
    if store != nil { self.store.adopt(sources) }
    sources.now = { [unowned self] in now }
    if role == .parent { self.store.keepFirstDiscoveryKey(simulation.keys.freshKey()) }
  }

  /// The clock for decisions.
  var now: BootInstant {
    BootInstant(milliseconds: isOn ? (simulation.now - bootedAt) / 1_000 + sleptMilliseconds : 0)
  }
  /// The milliseconds that this machine has run or slept in all its boots.
  var trueAge: Int64 { earlierBoots + now.milliseconds }
  /// The wall clock of this machine, in Unix milliseconds.
  var wall: Int64 { max(0, 1_800_000_000_000 + simulation.now / 1_000 + wallError) }

  /// Plans an action of this process, which runs if the process lives and its machine is awake
  /// then.
  func act(after micros: Int64, _ run: @escaping () -> Void) {
    let life = life
    simulation.after(micros) { [unowned self] in
      guard self.life == life, isRunning else { return }
      if isAsleep { return deferred.append(run) }
      run()
    }
  }

  // MARK: Life

  /// Starts a process with the content of the disk.
  func start() {
    guard !isRunning else { return }
    boot()
    isRunning = true
    life += 1
    runID = simulation.random.bytes(16)
    store.open()
    commandIDs = CommandIDClock(after: store.commands.map(\.id).max())
    simulation.note(1, "\(name) starts")
    disk.begin()
    refreshAll()
    act(after: 20_000) { [unowned self] in
      isListening = true
      announce()
      look()
    }
    lookForExpired()
    underWay = []
    if simulation.fault == .forgetPendingEffects { underWay = Set(store.pending.map(\.id)) }
    carryOutEffects()
    beginPoints()
  }

  /// Ends the process between two instructions.
  ///
  /// - Parameter losesPower: A Boolean value that indicates whether the machine loses power, so
  ///   that no peer is told and its clock begins anew.
  func crash(losesPower: Bool) {
    guard isRunning else { return }
    simulation.note(2, "\(name) \(losesPower ? "loses its power" : "is killed")")
    if !losesPower {
      for connection in simulation.network.open {
        for port in [connection.caller, connection.callee] where port?.node === self { port?.orphan() }
      }
    }
    isRunning = false
    isListening = false
    isAsleep = false
    deferred = []
    life += 1
    for link in links { link.vanishWithProcess() }
    links = []
    if losesPower {
      boots += 1
      earlierBoots += now.milliseconds
      isOn = false
      bootedAt = simulation.now
      sleptMilliseconds = 0
      sources.bootID = "boot-\(boots)"
    }
  }

  /// Boots the machine after a loss of power.
  private func boot() {
    guard !isOn else { return }
    isOn = true
    bootedAt = simulation.now
  }

  /// Lets the machine sleep for a while, during which the boot clock advances by `milliseconds`.
  func sleep(micros: Int64, milliseconds: Int64) {
    guard isRunning, !isAsleep else { return }
    isAsleep = true
    sleepsFor = milliseconds
    let life = life
    simulation.after(micros) { [unowned self] in if self.life == life { wake() } }
  }

  /// Wakes the machine.
  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    sleptMilliseconds += sleepsFor
    let due = deferred
    deferred = []
    for run in due { act(after: 0, run) }
    for connection in simulation.network.open {
      for port in [connection.caller, connection.callee] where port?.node === self { port?.give() }
    }
    // After waking, the links check their sessions.
    act(after: 0) { [unowned self] in for link in links { link.networkChanged() } }
    lookForExpired()
  }

  /// Changes the machine's address.
  ///
  /// Frames from or to the old address are lost without an error.
  func move() {
    place = simulation.freshPlace()
    for connection in simulation.network.open
    where connection.caller?.node === self || connection.callee?.node === self { connection.isGone = true }
    // The kernel reports it at once, or the next check finds it.
    act(after: Int64(simulation.random.below(2_000_000))) { [unowned self] in
      for link in links { link.networkChanged() }
      announce()
    }
  }

  var name: String { "\(role == .parent ? "P" : "C")\(index)" }

  /// Announces this machine over mDNS, which may fail.
  func announce() {
    for other in simulation.nodes where other !== self && simulation.random.below(10) > 0 { announce(to: other) }
  }

  /// Announces this machine to another one; with `isNews`, even if the other one already sees it
  /// there.
  func announce(to other: SimulatedNode, isNews: Bool = true) {
    guard other.link(device) != nil else { return }
    // Each process announces its own instance name.
    let (place, instance) = (place, "\(index)-\(life)")
    other.act(after: simulation.network.delay + 100_000) { [unowned self, unowned other] in
      guard simulation.network.cut(index, other.index) == nil else { return }
      other.link(device)?.sighted(place, instance: instance, isNews: isNews)
    }
  }

  /// Reads the announcements now and every minute, so that a lost one is seen later.
  private func look() {
    for other in simulation.nodes where other !== self && other.isListening { other.announce(to: self, isNews: false) }
    act(after: 60_000_000) { [unowned self] in look() }
  }

  /// Stores the address at which a session with a peer was opened.
  func reached(_ device: DeviceID, _ place: Int) {
    let before = remembered[device] ?? ([], nil)
    remembered[device] = (Array(([place] + before.proven.filter { $0 != place }).prefix(8)), before.told)
  }

  /// The network around the machine's links.
  var surroundings: LinkSurroundings {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: place >> $0) }
    return LinkSurroundings(
      devices: store.peers.count, crowd: simulation.scenario.crowd, reach: Reach(port: 7, addresses: [bytes]),
      ownHosts: [SocketEndpoint(place: place).host])
  }

  /// Returns the ID of the key with which calls of a peer are answered.
  func keyID(_ peer: ModelPeer) -> [UInt8] { peer.sessionKey.map { simulation.keys.keyID(of: $0) } ?? [] }

  func link(_ device: DeviceID) -> LinkRunner? { links.first { $0.peer == device } }

  func nextLook() -> Int {
    lastLook += 1
    return lastLook
  }

  // MARK: Expiry

  private func lookForExpired() {
    act(after: 1_000) { [unowned self] in
      disk.commit("expire") { [unowned self] (store: inout ModelStore) throws(ModelStoreFault) in
        (store.expireDue(at: wall), try store.expireEffects(at: wall))
      } then: { [unowned self] result in
        let expired = try? result.get()
        simulation.oracle.expired(self, expired?.0)
        committed(expired?.1 ?? [])
        guard let wait = store.untilNextExpiry() else { return }
        act(after: 1_000 * max(500, min(wait, 600_000))) { [unowned self] in lookForExpired() }
      }
    }
  }

  // MARK: Who calls

  /// Handles an incoming connection.
  func accept(_ port: Port) {
    port.onFrame = { [unowned self] frame in
      guard case .first(let claimed, let bytes) = frame else { return port.close() }
      guard let handshake = simulation.handshakes.respond(self, claimed, bytes), let link = link(handshake.caller),
        let key = link.machine.standing.sessionKey
      else { return port.close() }
      guard let (answer, sealing) = handshake.accept(key) else { return port.close() }
      port.connection.answeredKey = key
      port.send(.answer(answer))
      link.open(port, sealing) { $0.accepted(SessionEnds(port), pairwiseKey: key, now: $1) }
    }
    port.onEnd = {}
    // A stranger's time is limited.
    act(after: 10_000_000) { [weak port] in if let port, port.connection.isUnproven { port.abort() } }
    port.read()
  }

  func tearDown() {
    for link in links { link.vanishWithProcess() }
    links = []
  }
}
