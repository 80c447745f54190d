import LatchkeyCrypto
import LatchkeyModel
import LatchkeyStore

/// What programs that hold a node in their own process can do without the local API's names and texts.
extension NodeService {
  /// Make a command durable for a device; returns after the commit, with the command's number in its stream.
  public func send(
    _ payload: CommandPayload, to device: DeviceID
  ) async throws(LocalAPIError) -> (id: CommandID, sequence: UInt64) {
    if let fault = payload.fault { throw LocalAPIError(.invalid, fault) }
    let wall = context.wall()
    let id = context.nextCommandID(wall)
    do {
      let issued = try await context.store.issue(id, to: device, at: wall) { _, _ in payload }
      await directory.committed([issued.change])
      return (id, issued.change.last)
    } catch { throw LocalAPIError(error) }
  }

  /// Keep finished records of this device's use and queue them for every parent; returns after the commit.
  ///
  /// - Returns: the last number given out in the stream to each parent.
  public func report(_ records: [UsageRecord]) async throws(LocalAPIError) -> [DeviceID: UInt64] {
    if let fault = records.lazy.compactMap(\.fault).first { throw LocalAPIError(.invalid, fault) }
    do {
      let changes = try await context.store.record(records, at: context.wall())
      await directory.committed(changes)
      return changes.reduce(into: [:]) { $0[$1.device] = max($0[$1.device] ?? 0, $1.last) }
    } catch { throw LocalAPIError(error) }
  }

  /// Wait until a device has reported more of a class stored than `through`, and give the last number.
  public func stored(
    by device: DeviceID, _ streamClass: StreamClass, after through: UInt64
  ) async -> UInt64 {
    while !Task.isCancelled {
      guard let link = await directory.link(device) else { return through }
      let seen = link.stored.version
      let now = await link.storedThrough[streamClass] ?? 0
      if now > through { return now }
      await link.stored.wait(after: seen)
    }
    return through
  }

  /// Devices that a session is open with.
  public func connectedDevices() async -> [DeviceID] {
    var connected: [DeviceID] = []
    for link in await directory.all where await link.current != nil { connected.append(link.peer) }
    return connected
  }

  /// Wait until something that `status` shows may have changed.
  public func waitForChange(milliseconds: Int64) async {
    await context.changes.wait(after: context.changes.version, milliseconds: milliseconds)
  }
}
