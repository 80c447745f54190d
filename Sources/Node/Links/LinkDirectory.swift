import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

actor LinkDirectory {
  private let context: NodeContext
  private var links: [DeviceID: PeerLink] = [:]
  private var byKey: [LinkPublicKey: DeviceID] = [:]
  /// Devices without a link for which items were queued.
  private var unseen: Set<DeviceID> = []
  private var isStopping = false
  /// The number of reads of the database so far.
  ///
  /// `looks` holds the last one for each device.
  private var lastLook: UInt64 = 0
  private var looks: [DeviceID: UInt64] = [:]
  nonisolated let operations = LinkOperations()
  /// The operations that wait for a peer: calls, and the reading of sessions until their end.
  ///
  /// There is one consumer.
  nonisolated let peerWork: AsyncStream<Job>
  nonisolated let peerJobs: AsyncStream<Job>.Continuation
  typealias Job = @Sendable () async -> Void
  /// Devices whose pairing was completed by a session.
  ///
  /// There is one consumer.
  nonisolated let completed: AsyncStream<DeviceID>
  private let promotions: AsyncStream<DeviceID>.Continuation

  init(_ context: NodeContext) {
    self.context = context
    (peerWork, peerJobs) = AsyncStream.makeStream()
    (completed, promotions) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Limits.peers))
  }

  /// Takes over a device's state from the database: creates, changes or ends its link.
  func refresh(_ device: DeviceID) async throws(StoreError) {
    var look: UInt64
    var record: PeerRecord?
    repeat {
      look = nextLook()
      looks[device] = look
      record = try await context.store.peer(device)
      // A later read may have seen a newer state, which must not be overwritten.
    } while looks[device] != look
    try await apply(record, device, look)
  }

  func refreshAll() async throws(StoreError) {
    let look = nextLook()
    for record in try await context.store.peers() {
      let device = record.device.deviceID
      if looks[device] ?? 0 > look { try await refresh(device) } else { try await apply(record, device, look) }
    }
  }

  func removed(_ device: DeviceID) async throws(StoreError) {
    // Earlier reads of it are outdated.
    looks[device] = nextLook()
    guard let link = links[device] else { return try await refresh(device) }
    await link.removed()
  }

  private func nextLook() -> UInt64 {
    lastLook += 1
    return lastLook
  }

  /// Stops the links: each peer receives a goodbye, no link is created any more, and the operations
  /// end.
  func shutDown() async {
    isStopping = true
    for link in links.values { await link.shutDown() }
    operations.finish()
    peerJobs.finish()
  }

  private func apply(_ record: PeerRecord?, _ device: DeviceID, _ look: UInt64) async throws(StoreError) {
    guard !isStopping else { return }
    guard let record, record.sessionKey != nil else {
      unseen.remove(device)
      if let link = links.removeValue(forKey: device) {
        byKey = byKey.filter { $0.value != device }
        await link.end()
      }
      return
    }
    if let link = links[device] {
      guard await link.isDone else { return await link.refresh(record) }
      // The peer's removal ended the link, and the device has been paired again since. It gets a
      // new link.
      if links[device] === link { links[device] = nil }
      return try await refresh(device)
    }
    guard let bytes = Hexadecimal.decode(record.device.linkKey), let key = try? LinkPublicKey(bytes: bytes) else {
      throw .unexpected("a peer's link key")
    }
    var streams: LinkStreams
    repeat {
      unseen.remove(device)
      streams = try await context.store.streams(with: device)
      // Items that were queued during the read may be missing from its result.
    } while unseen.contains(device)
    // Another call may have created the link during the read, or have seen a newer state.
    if looks[device] ?? 0 > look { return try await refresh(device) }
    if let link = links[device] { return await link.refresh(record) }
    guard !isStopping else { return }
    let link = PeerLink(context: context, directory: self, record: record, key: key, streams: streams)
    links[device] = link
    byKey[key] = device
    operations.begin { await link.begin() }
  }

  /// Passes new keys, which are durable, to the links of their devices: first the keys, then the
  /// items that carry them.
  func handOut(_ rotations: [OutboxChange]) async throws(StoreError) {
    for rotation in rotations { try await refresh(rotation.device) }
    await committed(rotations)
  }

  func link(_ device: DeviceID) -> PeerLink? { links[device] }
  func link(_ key: LinkPublicKey) -> PeerLink? { byKey[key].flatMap { links[$0] } }
  var all: [PeerLink] { Array(links.values) }

  /// The devices with which this one is in touch now.
  var connected: Set<DeviceID> {
    get async {
      var connected: Set<DeviceID> = []
      for link in all where await link.current != nil { connected.insert(link.peer) }
      return connected
    }
  }

  /// Tells the links about streams with new, durable items.
  func committed(_ changes: [OutboxChange]) async {
    for change in changes.count > 1 ? changes.newest : changes {
      if let link = links[change.device] { await link.committed(change) } else { unseen.insert(change.device) }
    }
  }

  /// Tells all connected devices the new name of this device, which is durable.
  func renamed(_ label: DeviceLabel) async {
    context.renamed(label)
    for link in links.values { await link.named() }
    context.changes.notify()
  }

  /// A pairing has changed what parents are told of each other, durably.
  func tellParents() async throws(StoreError) { await committed(try await context.store.controlToParents()) }

  /// Waits at the start of the node until a session with a device is open, at most a quarter of a
  /// second, or for nothing without devices.
  ///
  /// What reads much and is not urgent then does not delay what waits for the machine.
  func firstSession() async {
    await context.syncChanges.first(until: context.now() + Self.firstSessionMilliseconds) {
      if links.isEmpty || isStopping { return () }
      return await connected.isEmpty ? nil : ()
    }
  }

  private static let firstSessionMilliseconds: Int64 = 250

  func promoted(_ device: DeviceID) { promotions.yield(device) }
}
