import Glibc
import LatchkeyModel

/// The parts of a running node that answer requests; it answers programs in its own process as its
/// user.
public struct NodeService: NodeInterface {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let pairing: PairingService
  let usage: UsageService
  let listening: [String]

  public func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer {
    try await call().ask(endpoint, input)
  }

  func call() -> Call { Call(self, caller: Caller(principal: .nodeUser, userID: geteuid())) }
}

/// The interface for programs that run a node in their own process, without the names and texts of
/// the local API.
extension NodeService {
  /// Issues a command to a device and returns its number in the stream after the commit.
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

  /// Stores finished records of this device's use, queues them for every parent, and returns the
  /// last assigned number in the stream to each parent, after the commit.
  public func report(_ records: [UsageRecord]) async throws(LocalAPIError) -> [DeviceID: UInt64] {
    if let fault = records.lazy.compactMap(\.fault).first { throw LocalAPIError(.invalid, fault) }
    do {
      let changes = try await context.store.record(records, at: context.wall())
      await directory.committed(changes)
      return changes.reduce(into: [:]) { $0[$1.device] = max($0[$1.device] ?? 0, $1.last) }
    } catch { throw LocalAPIError(error) }
  }

  /// Waits until a device has reported more than `through` of a class as stored, and returns the
  /// last number.
  public func stored(by device: DeviceID, _ streamClass: StreamClass, after through: UInt64) async -> UInt64 {
    // By hand, since the device may have another link at each look.
    while !Task.isCancelled {
      guard let link = await directory.link(device) else { return through }
      let seen = link.stored.version
      let now = await link.storedThrough[streamClass] ?? 0
      if now > through { return now }
      await link.stored.wait(after: seen)
    }
    return through
  }

  /// Returns the devices with which a session is open.
  public func connectedDevices() async -> [DeviceID] { Array(await directory.connected) }

  /// Waits until the content of `status` may have changed, or for a number of milliseconds.
  public func waitForChange(milliseconds: Int64) async {
    await context.changes.wait(after: context.changes.version, milliseconds: milliseconds)
  }
}
