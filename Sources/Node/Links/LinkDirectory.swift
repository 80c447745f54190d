import LatchkeyCrypto
import LatchkeyModel
import LatchkeyStore

/// Every paired device's link, by ID and by key.
actor LinkDirectory {
  private let context: NodeContext
  private var links: [DeviceID: PeerLink] = [:]
  private var byKey: [LinkPublicKey: DeviceID] = [:]
  /// Devices without a link for which items were made durable.
  private var unseen: Set<DeviceID> = []
  private var isStopping = false
  /// Counts looks into the database, and says which was the last for a device.
  private var lastLook: UInt64 = 0
  private var looks: [DeviceID: UInt64] = [:]
  /// What links have to do and what waits for something, such as transactions and calls; one consumer. A link's machine bounds
  /// how much of it is under way.
  nonisolated let work: AsyncStream<Job>
  nonisolated let jobs: AsyncStream<Job>.Continuation
  typealias Job = @Sendable () async -> Void
  /// Devices whose pairing a session has completed; one consumer.
  nonisolated let completed: AsyncStream<DeviceID>
  private let promotions: AsyncStream<DeviceID>.Continuation

  init(_ context: NodeContext) {
    self.context = context
    (work, jobs) = AsyncStream.makeStream()
    (completed, promotions) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Limits.peers))
  }

  /// Take over what the database holds about a device: make, change or end its link.
  func refresh(_ device: DeviceID) async throws(StoreError) {
    var look: UInt64
    var record: PeerRecord?
    repeat {
      look = nextLook()
      looks[device] = look
      record = try await context.store.peer(device)
      // Whoever looked after this one may have seen more, and is not to be set back.
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

  /// The database has taken a device out: tell it.
  func removed(_ device: DeviceID) async throws(StoreError) {
    // Whatever was read of it before is of the past.
    looks[device] = nextLook()
    guard let link = links[device] else { return try await refresh(device) }
    await link.removed()
  }

  private func nextLook() -> UInt64 {
    lastLook += 1
    return lastLook
  }

  /// The node stops: every peer hears so, no link is made any more, and the work comes to its end.
  func shutDown() async {
    isStopping = true
    for link in links.values { await link.shutDown() }
    jobs.finish()
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
      // The link was ended by the peer's removal, and the device has been paired again since: it gets a new link.
      if links[device] === link { links[device] = nil }
      return try await refresh(device)
    }
    guard let bytes = Hexadecimal.decode(record.device.linkKey), let key = try? LinkPublicKey(bytes: bytes) else {
      throw .unexpected("a peer's link key")
    }
    var streams: PeerStreams
    repeat {
      unseen.remove(device)
      streams = try await context.store.streams(with: device)
      // What was made durable meanwhile may be missing in what was read.
    } while unseen.contains(device)
    // Another call may have made it while the database was read, or have seen more.
    if looks[device] ?? 0 > look { return try await refresh(device) }
    if let link = links[device] { return await link.refresh(record) }
    guard !isStopping else { return }
    let link = PeerLink(context: context, directory: self, record: record, key: key, streams: streams)
    links[device] = link
    byKey[key] = device
    jobs.yield { await link.begin() }
  }

  /// Keys wait for devices, durably: their links take note of the keys first, then of the items that carry them.
  func handOut(_ rotations: [OutboxChange]) async throws(StoreError) {
    for rotation in rotations { try await refresh(rotation.device) }
    await committed(rotations)
  }

  func link(_ device: DeviceID) -> PeerLink? { links[device] }
  func link(_ key: LinkPublicKey) -> PeerLink? { byKey[key].flatMap { links[$0] } }
  var count: Int { links.count }
  var all: [PeerLink] { Array(links.values) }

  /// Tell the links of streams that have new items, durably.
  func committed(_ changes: [OutboxChange]) async {
    for change in changes {
      if let link = links[change.device] { await link.committed(change) } else { unseen.insert(change.device) }
    }
  }

  /// A session has completed a pairing.
  func promoted(_ device: DeviceID) { promotions.yield(device) }

  /// Wakes links when they want to be, until the task is cancelled.
  nonisolated func ring() async {
    await context.alarm.run(now: { context.now() }, wake: { await self.link($0)?.timerFired() })
  }
}
