import LatchkeyModel

extension Endpoints {
  static let queue: [Route] = [getQueue.route, getQueueEntry.route]

  static let getQueue = Endpoint(
    .get, "/v1/queue", Query.device, Query.streamClass("class"), Query.limit,
    errors: [.unknownDevice, .ambiguousDevice],
    summary: "Waiting items, the most urgent class and the oldest item first."
  ) { call, device, streamClass, limit in
    try await call.node.queue(device: device, streamClass: streamClass, limit: limit)
  }

  static let getQueueEntry = Endpoint(
    .get, "/v1/queue/{device}/{class}/{number}", Path.device, Path.streamClass("class"),
    Path.number("number", "The item's number in its class."), errors: [.unknownDevice, .ambiguousDevice, .unknownItem],
    summary: "One waiting item."
  ) { call, device, streamClass, number in
    try await call.node.queueEntry(device: device, streamClass: streamClass, number: number)
  }
}

extension ControlClient: QueueAPI {
  /// Returns waiting items, the most urgent class and the oldest item first.
  public func queue(
    device: String?, streamClass: StreamClass?, limit: Int
  ) async throws(LocalAPIError) -> [QueueEntry] {
    try await ask(Endpoints.getQueue, (device, streamClass, limit))
  }

  /// Returns one waiting item.
  public func queueEntry(
    device: String, streamClass: StreamClass, number: UInt64
  ) async throws(LocalAPIError) -> QueueEntry {
    try await ask(Endpoints.getQueueEntry, (device, streamClass, number))
  }
}
