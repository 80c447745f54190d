import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// The peer's addresses in the database, and their display.
///
/// Spec: Protocol/02-discovery.md §8.
extension PeerLink {
  /// The shortest time between two stored failures of an address for the same reason, in
  /// milliseconds.
  ///
  /// A peer that is off for weeks is called every minute, and not every failure needs to be stored.
  private static var failurePace: Int64 { 15 * 60_000 }

  /// The stored and configured addresses, each with its rung.
  var rungs: [(SocketEndpoint, AddressLadder<SocketEndpoint>.Rung)] {
    let network = NetworkMark.current()
    var rungs: [(SocketEndpoint, AddressLadder<SocketEndpoint>.Rung)] = []
    for known in remembered {
      guard let endpoint = SocketEndpoint(known.reached.address) else { continue }
      let isElsewhere = known.reached.network.flatMap { mark in network.map { $0 != mark } } ?? false
      rungs.append((endpoint, isElsewhere ? .elsewhere : .proven))
    }
    return rungs + context.configuration.peers.compactMap { SocketEndpoint($0) }.map { ($0, .given) }
  }

  /// Records that an attempt to reach an address failed.
  ///
  /// The failure is stored if the peer was once authenticated there.
  func noteFailure(_ endpoint: SocketEndpoint, _ reason: String) async {
    let now = context.now()
    let before = failedTries[endpoint]
    let isNews = before?.reason != reason || before?.notedAt.map { now - $0 >= Self.failurePace } ?? true
    if before == nil, failedTries.count >= Limits.addresses { failedTries.removeAll() }
    failedTries[endpoint] = FailedTry(at: context.wall(), reason: reason, notedAt: isNews ? now : before?.notedAt)
    guard isNews else { return }
    // This information is for people only, and a failure of the disk is reported elsewhere.
    try? await context.store.addressFailed(
      endpoint.description, of: peer, network: NetworkMark.current(), reason: reason, at: context.wall())
  }

  /// Returns whether the peer answers at addresses at which it is announced; `nil` if not all of
  /// them have been tried.
  func isAnswering(at endpoints: [SocketEndpoint]) -> Bool? {
    if current != nil { return true }
    return endpoints.allSatisfy { failedTries[$0] != nil } ? false : nil
  }

  /// An address at which a session was opened, with where it was had from.
  func reached(_ address: String) -> ReachedAddress {
    let endpoint = SocketEndpoint(address)
    if let endpoint { failedTries[endpoint] = nil }
    return ReachedAddress(address, source: endpoint.map(source) ?? .connection, network: NetworkMark.current())
  }

  /// Returns how this address was learned.
  ///
  /// The database keeps the source of stored addresses.
  private func source(_ endpoint: SocketEndpoint) -> AddressSource {
    if context.configuration.peers.contains(where: { SocketEndpoint($0) == endpoint }) { return .given }
    return machine.source(of: endpoint) ?? .connection
  }

  /// The address at which the peer of the open session can be called: the one that was called or,
  /// if the peer called from a temporary port, the one that it states.
  var addressInUse: String? {
    guard let ends = machine.currentEnds else { return nil }
    if machine.isCurrentOurs { return ends.remote }
    return machine.toldAddresses.first { ends.isAt($0) }?.description ?? ends.remoteHost
  }

  /// Returns all known addresses of the peer: the one in use first, then by their last success.
  func addresses() async throws(StoreError) -> [DeviceAddress] {
    let network = NetworkMark.current()
    let inUse = machine.isCurrentOurs ? machine.currentEnds?.remote : nil
    var found: [DeviceAddress] = []
    for known in try await context.store.addresses(of: peer) {
      let isHere = known.reached.network.flatMap { mark in network.map { $0 == mark } }
      found.append(
        DeviceAddress(
          address: known.reached.address, source: known.reached.source, isOfThisNetwork: isHere,
          isInUse: known.reached.address == inUse && isHere != false, lastSuccessAt: known.lastSuccessAt,
          lastFailureAt: known.lastFailureAt, failure: known.failure))
    }
    for endpoint in machine.candidates(rungs) where !found.contains(where: { $0.address == endpoint.description }) {
      // Where a session has just been opened, the database may not know it yet.
      let address = endpoint.description
      found.append(DeviceAddress(address: address, source: source(endpoint), isInUse: address == inUse))
    }
    for index in found.indices where found[index].isOfThisNetwork != false {
      guard let failed = SocketEndpoint(found[index].address).flatMap({ failedTries[$0] }),
        failed.at >= found[index].lastFailureAt ?? 0
      else { continue }
      (found[index].lastFailureAt, found[index].failure) = (failed.at, failed.reason)
    }
    return Array((found.filter(\.isInUse) + found.filter { !$0.isInUse }).prefix(32))
  }
}
