import Glibc
import LatchkeyModel
import LatchkeyStore

/// The implementation of the local API's requests by a running node.
///
/// Spec: Protocol/07-local-api.md.
public struct NodeService: NodeInterface {
  let context: NodeContext
  let directory: LinkDirectory
  let discovery: DiscoveryService
  let pairing: PairingService
  let usage: UsageService
  let listening: [String]

  /// Milliseconds that a request waits for a change at most.
  static let longPoll: Int64 = 25_000

  /// Returns the paired device that a person named; see `DeviceSearch`.
  func find(_ text: String) async throws(LocalAPIError) -> PeerRecord {
    let peers = try await active()
    do { return try Self.find(text, among: peers) } catch {
      guard error.code == .unknownDevice, !peers.isEmpty, let household = try? await household(),
        let child = household.name(ofChildWithoutMachine: text)
      else { throw error }
      throw LocalAPIError(
        .unknownDevice,
        "\(child) has no machine yet: run `latchkey pair` here and there, or give \(child) an account with `latchkey accounts assign`."
      )
    }
  }

  /// Returns a device of the list: a paired one, or a removed one that has not heard of its removal.
  func findListed(_ text: String) async throws(LocalAPIError) -> PeerRecord {
    try Self.find(text, among: try await listed())
  }

  /// Returns a device whose history is stored, even if it was removed; paired devices take precedence.
  func findKnown(_ text: String) async throws(LocalAPIError) -> PeerRecord {
    if let peer = try? await find(text) { return peer }
    return try Self.find(
      text, among: try await stored { () async throws(StoreError) in try await context.store.peers() })
  }

  private static func find(_ text: String, among peers: [PeerRecord]) throws(LocalAPIError) -> PeerRecord {
    do { return try DeviceSearch.find(text, among: peers) { DeviceSearch.Label($0.device) } } catch {
      throw LocalAPIError(error)
    }
  }

  func active() async throws(LocalAPIError) -> [PeerRecord] {
    try await stored { () async throws(StoreError) in try await context.store.peers() }.filter { $0.state == .active }
  }

  /// Returns the devices of the list.
  func listed() async throws(LocalAPIError) -> [PeerRecord] {
    try await stored { () async throws(StoreError) in try await context.store.peers() }
      .filter(\.isListed)
  }

  func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(LocalAPIError) -> Value {
    do { return try await body() } catch { throw LocalAPIError(error) }
  }

  /// The name of a device, as far as it is known.
  func name(_ device: DeviceID, _ peers: [PeerRecord]) -> DeviceName {
    device == context.own
      ? context.name
      : peers.first { $0.device.deviceID == device }?.device.name ?? DeviceName(sanitising: device.short)
  }

  /// Returns a pairing after its next change since `change` or 25 s.
  public func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress {
    let deadline = context.now() + Self.longPoll
    while true {
      let seen = context.changes.version
      let progress = try await pairing.progress(id)
      let rest = deadline - context.now()
      if progress.change > change || progress.phase == .ended || rest <= 0 || Task.isCancelled { return progress }
      await context.changes.wait(after: seen, milliseconds: rest)
    }
  }

  /// Returns the open codes that other machines announce, after their next change since `change` or 25 s.
  public func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations {
    let deadline = context.now() + Self.longPoll
    await discovery.want(for: Self.longPoll)
    while true {
      // A node that has just started begins at 1, so that the first question is answered at once.
      let seen = discovery.changes.version
      let rest = deadline - context.now()
      if Int(clamping: seen) + 1 > change || rest <= 0 || Task.isCancelled {
        return NearbyInvitations(change: Int(clamping: seen) + 1, invitations: await discovery.invitations())
      }
      await discovery.changes.wait(after: seen, milliseconds: rest)
    }
  }

  /// Opens a pairing code.
  public func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    try await pairing.invite(request)
  }
  /// Joins with a code.
  public func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    try await pairing.join(request)
  }
  /// Returns the open pairings, without their codes.
  public func pairings() async throws(LocalAPIError) -> [PairingProgress] { await pairing.allOpen() }

  /// Answers the question of a pairing.
  public func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    try await pairing.answer(id, answer)
  }

  /// Cancels a pairing.
  public func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress { try await pairing.cancel(id) }

  /// Starts to record a program.
  public func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted {
    guard context.profile.role == .child else {
      throw LocalAPIError(.wrongRole, "Use is recorded on a child's machine: run `latchkey usage track` there.")
    }
    return try await usage.start(request, by: request.caller ?? geteuid())
  }

  /// Checks whether the programs of a session have ended, and returns the session's record if they have.
  public func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord {
    guard let id = RecordID(recordID) else {
      throw LocalAPIError(.unknownSession, "That is no session's ID: it has 32 hexadecimal digits.")
    }
    return try await usage.end(id)
  }
}

extension PeerRecord {
  /// A Boolean value that indicates whether the device is shown: it is paired, or has not heard of its removal.
  var isListed: Bool { state == .active || state == .removedUntold }
}
