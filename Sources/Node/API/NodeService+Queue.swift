import LatchkeyModel
import LatchkeyStore

extension NodeService {
  public func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus] {
    let chosen = try await chosen(device)
    var peers: [PeerStatus] = []
    for record in chosen {
      guard let link = await directory.link(record.device.deviceID) else { continue }
      await link.syncNow()
      peers.append(try await stored { () async throws(StoreError) in try await link.status() })
    }
    return peers
  }

  public func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry] {
    let chosen = try await chosen(device)
    let bounded = min(max(limit, 1), 10_000)
    var entries: [QueueEntry] = []
    for record in chosen where entries.count < bounded {
      entries += try await self.entries(record, streamClass, number: nil, limit: bounded - entries.count)
    }
    return entries
  }

  public func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry {
    let record = try await findListed(device)
    guard let entry = try await entries(record, streamClass, number: number, limit: 1).first else {
      throw LocalAPIError(
        .unknownItem,
        "Nothing waits for “\(record.device.name)” under that number: see `latchkey queue`.")
    }
    return entry
  }

  private func chosen(_ device: String?) async throws(LocalAPIError) -> [PeerRecord] {
    guard let device else { return try await listed() }
    return [try await findListed(device)]
  }

  private func entries(
    _ record: PeerRecord, _ streamClass: StreamClass?, number: UInt64?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry] {
    let device = record.device.deviceID
    var entries = try await stored { () async throws(StoreError) in
      try await context.store.queue(device, streamClass, number: number, limit: limit, at: context.wall())
    }
    if let link = await directory.link(device) {
      let sent = await link.sentThrough
      for index in entries.indices {
        entries[index].isInFlight = sent[entries[index].streamClass].map { entries[index].number <= $0 } ?? false
      }
    }
    return entries
  }
}
