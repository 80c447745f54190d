import LatchkeyModel
import LatchkeyStore

extension Endpoints {
  static let queueRoutes: [any ServedEndpoint] = [getQueue, getQueueEntry]

  package static let getQueue = Endpoint(
    .get, "/v1/queue", Query.device, Query.streamClass("class"), Query.limit,
    browsers: .look, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Waiting items, the most urgent class and the oldest item first."
  ) { call, device, streamClass, limit in
    try await call.queue(device, streamClass, limit: limit)
  }

  package static let getQueueEntry = Endpoint(
    .get, "/v1/queue/{device}/{class}/{number}", Path.device, Path.streamClass("class"),
    Path.number("number", "The item's number in its class."), browsers: .look,
    errors: [.unknownDevice, .ambiguousDevice, .unknownItem],
    summary: "One waiting item."
  ) { call, device, streamClass, number in
    try await call.queueEntry(device, streamClass, number)
  }
}

extension Call {
  fileprivate func queue(_ device: String?, _ streamClass: StreamClass?, limit: Int) async throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    for record in try await listedDevices(device) where entries.count < limit {
      entries += try await self.entries(record, streamClass, number: nil, limit: limit - entries.count)
    }
    return entries
  }

  fileprivate func queueEntry(
    _ device: String, _ streamClass: StreamClass, _ number: UInt64
  ) async throws -> QueueEntry {
    let record = try await listedDevice(device)
    guard let entry = try await entries(record, streamClass, number: number, limit: 1).first else {
      throw LocalAPIError(
        .unknownItem, "Nothing waits for “\(record.device.name)” under that number: see `latchkey queue`.")
    }
    return entry
  }

  private func entries(
    _ record: PeerRecord, _ streamClass: StreamClass?, number: UInt64?, limit: Int
  ) async throws -> [QueueEntry] {
    let device = record.device.deviceID
    var entries = try await store.queue(device, streamClass, number: number, limit: limit, at: context.wall())
    if let link = await directory.link(device) {
      let sent = await link.sentThrough
      for index in entries.indices {
        entries[index].isInFlight = sent[entries[index].streamClass].map { entries[index].number <= $0 } ?? false
      }
    }
    return entries
  }
}
