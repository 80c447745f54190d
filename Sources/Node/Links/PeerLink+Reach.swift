import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport
import Logging

/// Where the peer may be, and whether it still is where it was. Spec: Protocol/02-discovery.md §8.
extension PeerLink {
  /// Announced instances kept for one peer.
  private static var instances: Int { 16 }

  /// Where the peer may be, best first.
  var candidates: [SocketEndpoint] {
    let network = NetworkMark.current()
    var ladder = AddressLadder<SocketEndpoint>()
    if let last = record.lastAddress, !remembered.contains(where: { $0.reached.address == last }),
      let endpoint = SocketEndpoint(last)
    {
      ladder.add(endpoint, .proven)
    }
    for known in remembered {
      guard let endpoint = SocketEndpoint(known.reached.address) else { continue }
      let isElsewhere = known.reached.network.flatMap { mark in network.map { $0 != mark } } ?? false
      ladder.add(endpoint, isElsewhere ? .elsewhere : .proven)
    }
    for instance in discoveredOrder.reversed() {
      for endpoint in discovered[instance] ?? [] { ladder.add(endpoint, .announced) }
    }
    for endpoint in context.configuration.peers.compactMap({ SocketEndpoint($0) }) { ladder.add(endpoint, .given) }
    // A peer on this very machine has called, and calls again. Only a removal may have to be told to one that never will.
    for endpoint in told where record.state == .removedUntold || !isOfThisMachine(endpoint) {
      ladder.add(endpoint, .told)
    }
    // With our own port, an address of this machine leads to ourselves.
    let own = Set(context.network.all.map { SocketEndpoint(host: $0, port: context.port) })
    return ladder.order(without: own, lostRaces: lostRaces)
  }

  private func isOfThisMachine(_ endpoint: SocketEndpoint) -> Bool {
    context.network.all.contains(OwnNetwork.plain(endpoint.host))
  }

  /// Where the peer of the open session can be called: where we called it; or, if it called us from a port of the moment,
  /// where it says that it listens there.
  var addressInUse: String? {
    guard let session = current.flatMap({ sessions[$0] }) else { return nil }
    if session.isInitiator { return session.connection.remote }
    return told.first { $0.leads(to: session.connection) }?.description
      ?? OwnNetwork.plain(session.connection.remoteHost)
  }

  /// mDNS has seen the peer.
  func discovered(_ endpoints: [SocketEndpoint], instance: String) {
    guard discovered[instance] != endpoints else { return }
    // A peer announces itself under a new name at each start: old names are of the past.
    discoveredOrder.removeAll { $0 == instance }
    makeRoom()
    discoveredOrder.append(instance)
    discovered[instance] = endpoints
    signOfLife()
    if race != nil {
      let worthwhile = candidates.filter(endpoints.contains)
      race?.offered(worthwhile, now: context.now())
      raceNews.notify()
    }
    // It may have moved, and the session have gone dead without a word. Addresses of the other IP version often come first
    // and say nothing of that.
    for (number, session) in sessions {
      let comparable = endpoints.filter { $0.isOfVersion(of: session.connection) }
      if !comparable.isEmpty, !comparable.contains(where: { $0.leads(to: session.connection) }) { doubt(number) }
    }
  }

  /// Forget an instance if there are as many as are kept: first one that led nowhere, as those of somebody do who repeats
  /// what the peer announced; else any, so that whoever announces much does not decide which.
  private func makeRoom() {
    guard discoveredOrder.count >= Self.instances else { return }
    let useless = discoveredOrder.firstIndex { instance in
      (discovered[instance] ?? []).allSatisfy { failedTries[$0] != nil }
    }
    discovered[discoveredOrder.remove(at: useless ?? Int.random(in: discoveredOrder.indices))] = nil
  }

  /// mDNS does not see an instance any more, which says nothing about whether the peer is there.
  func lost(instance: String) {
    discovered[instance] = nil
    discoveredOrder.removeAll { $0 == instance }
  }

  /// This machine has other addresses, or has slept: see whether the session lives, and look for the peer at once.
  func networkChanged(_ own: OwnNetwork, hasSlept: Bool) {
    for (number, session) in sessions {
      if own.all.contains(OwnNetwork.plain(session.connection.localHost)) {
        doubt(number)
      } else {
        // Nothing that is sent from an address that is gone will be answered.
        session.connection.abort()
      }
    }
    // Calls over ways that are gone hold nobody up; also beside a session in doubt new ones are made.
    if race != nil { isRaceVoid = true }
    calledBeside = nil
    raceNews.notify()
    signOfLife()
    if let current { sendReach(current) }
  }

  /// Something speaks against a session: hear within seconds whether the peer is still there.
  private func doubt(_ number: Int) {
    // In one that is being opened, our Hello may not be said yet, and nothing may be said before it.
    guard number == current, var session = sessions[number],
      let ping = session.machine.doubted(now: context.now())
    else { return }
    sessions[number] = session
    send(SessionBatch(ping: ping), number)
    session.clock.notify()
  }

  /// Tell the peer where it can call us.
  func sendReach(_ number: Int) {
    let addresses = Array(context.network.callable.prefix(Limits.reachAddresses))
    guard context.port != 0, let session = sessions[number], session.reach != addresses else { return }
    sessions[number]?.reach = addresses
    send(SessionBatch(reach: Reach(port: context.port, addresses: addresses)), number)
  }

  /// The peer tells where it can be called; first of all where it calls from itself.
  func received(_ reach: Reach, _ number: Int) async {
    guard let session = sessions[number] else { return }
    var endpoints: [SocketEndpoint] = []
    let from = OwnNetwork.plain(session.connection.remoteHost)
    if !session.isInitiator, !from.hasPrefix("fe80") {
      endpoints.append(SocketEndpoint(host: from, port: reach.port))
    }
    for address in reach.addresses where OwnNetwork.leadsElsewhere(address) {
      let endpoint = SocketEndpoint(host: OwnNetwork.text(address), port: reach.port)
      if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    }
    guard endpoints != told else { return }
    told = endpoints
    // Without it, it is told again in the next session.
    try? await context.store.told(peer, endpoints.map(\.description))
    logger.debug("told where to call", metadata: ["addresses": "\(endpoints.map(\.description))"])
  }
}

extension SocketEndpoint {
  /// Whether it is of the IP version that a connection uses.
  fileprivate func isOfVersion(of connection: FrameConnection) -> Bool {
    OwnNetwork.plain(host).contains(":") == OwnNetwork.plain(connection.remoteHost).contains(":")
  }

  /// Whether a connection's other end is on the machine that this names.
  fileprivate func leads(to connection: FrameConnection) -> Bool {
    OwnNetwork.plain(host) == OwnNetwork.plain(connection.remoteHost)
  }
}
