import LatchkeyModel

/// Where the peer may be, whether it still is where it was, and when it is called. Spec: Protocol/02-discovery.md §8,
/// Protocol/04-session.md §5.
extension LinkMachine {
  /// Announced instances kept for one peer.
  private static let instances = 16

  // MARK: Calls

  /// What the dialler is needed for.
  var need: DialMachine.Need {
    guard !isEnded, attempt == nil, isWorthCalling, !standing.callingKeys.isEmpty else { return .nothing }
    guard current != nil else { return .session }
    return replaceable.map { .sessionBeside($0) } ?? .nothing
  }

  /// The present session, if it is in doubt and has shown no sign of life for so long that another may take its place.
  var replaceable: Int? { current.flatMap { sessions[$0]?.rules.mayBeReplaced == true ? $0 : nil } }

  /// Where the peer may be, best first.
  ///
  /// - Parameter remembered: addresses at which a session was authenticated, the last success first, and those given by a person,
  ///   each with its rung.
  public func candidates(_ remembered: [(SocketEndpoint, AddressLadder<SocketEndpoint>.Rung)]) -> [SocketEndpoint] {
    var ladder = AddressLadder<SocketEndpoint>()
    for (endpoint, rung) in remembered { ladder.add(endpoint, rung) }
    for known in announced.reversed() { for endpoint in known.endpoints { ladder.add(endpoint, .announced) } }
    // The peer may be a node on this very machine, which listens on another port.
    for endpoint in told { ladder.add(endpoint, .told) }
    // With our own port, an address of this machine leads to ourselves.
    let port = surroundings.reach?.port ?? 0
    let own = Set(surroundings.ownHosts.map { SocketEndpoint(host: $0, port: port) })
    return ladder.order(without: own, lostRaces: dialler.lostRaces)
  }

  /// The addresses that are remembered and given, each with its rung.
  public mutating func lookedUp(
    _ remembered: [(SocketEndpoint, AddressLadder<SocketEndpoint>.Rung)], now: BootInstant
  ) {
    self.now = now
    dialler.lookedUp(candidates(remembered), crowd: surroundings.crowd, now: now)
    settle()
  }

  /// A call came to nothing.
  public mutating func callEnded(_ call: Int, _ outcome: CallOutcome, now: BootInstant) {
    self.now = now
    if let endpoint = dialler.ended(call, outcome, crowd: surroundings.crowd, now: now) {
      if failedAddresses.count >= Limits.addresses { failedAddresses.removeAll() }
      failedAddresses.insert(endpoint)
      effects.append(.tell(.missed(endpoint, outcome)))
    }
    settle()
  }

  /// Has the dialler's effects run.
  mutating func takeDials() {
    for effect in dialler.takeEffects() {
      switch effect {
      case .lookUp:
        effects.append(.lookUpAddresses)
        effects.append(.tell(.changed))
      case .call(let call, let endpoint):
        effects.append(.call(call, endpoint, keys: standing.callingKeys, offered: standing.pendingKey))
      case .giveUp(let call): effects.append(.giveUp(call))
      case .lost(let outcome):
        if current == nil { trouble = .unreached(outcome) }
        effects.append(.tell(.changed))
        guard case .silent = outcome, standing.state == .removedUntold else { continue }
        notes.hasMetSilence = true
        noteNext()
      }
    }
  }

  // MARK: News of the network

  /// The peer is announced at these addresses.
  ///
  /// - Parameter instance: the name under which it is; another one with each start of the peer.
  public mutating func discovered(_ endpoints: [SocketEndpoint], instance: String, now: BootInstant) {
    self.now = now
    guard announced.last(where: { $0.instance == instance })?.endpoints != endpoints else { return }
    announced.removeAll { $0.instance == instance }
    makeRoom()
    announced.append((instance, endpoints))
    showsLife()
    let own = surroundings.ownHosts
    let port = surroundings.reach?.port ?? 0
    dialler.offered(
      endpoints.filter { $0.port != port || !own.contains($0.host) }, crowd: surroundings.crowd, now: now)
    // It may have moved, and the session have gone dead without a word. Addresses of the other IP version often come first
    // and say nothing of that.
    for number in sessions.keys.sorted() {
      guard let ends = sessions[number]?.ends else { continue }
      let comparable = endpoints.filter { ends.isOfVersion($0) }
      if !comparable.isEmpty, !comparable.contains(where: { ends.isAt($0) }) { doubt(number) }
    }
    settle()
  }

  /// Forgets an instance if there are as many as are kept: first one that led nowhere, as those of somebody do who repeats
  /// what the peer announced; else any, so that whoever announces
  /// much does not decide which.
  private mutating func makeRoom() {
    guard announced.count >= Self.instances else { return }
    let useless = announced.firstIndex { $0.endpoints.allSatisfy(failedAddresses.contains) }
    announced.remove(at: useless ?? Int(jitter.next() * Double(announced.count - 1)))
  }

  /// The peer is not announced under a name any more, which says nothing about whether it is there.
  public mutating func lost(instance: String) {
    announced.removeAll { $0.instance == instance }
  }

  /// Where an address was heard of in this process; nil when it was not.
  public func source(of endpoint: SocketEndpoint) -> AddressSource? {
    if announced.contains(where: { $0.endpoints.contains(endpoint) }) { return .mdns }
    return told.contains(endpoint) ? .told : nil
  }

  /// Where the peer says that it can be called.
  public var toldAddresses: [SocketEndpoint] { told }

  /// This machine has other addresses, or has slept: see whether the sessions live, and look for the peer at once.
  public mutating func networkChanged(_ surroundings: LinkSurroundings, now: BootInstant) {
    self.now = now
    self.surroundings = surroundings
    for number in sessions.keys.sorted() {
      guard let ends = sessions[number]?.ends else { continue }
      // Nothing that is sent from an address that is gone will be answered.
      if surroundings.ownHosts.contains(ends.localHost) { doubt(number) } else { abort(number) }
    }
    dialler.networkChanged(now: now)
    showsLife()
    if let current { sendReach(current) }
    settle()
  }

  /// Something speaks against a session: hear within seconds whether the peer is still there.
  private mutating func doubt(_ number: Int) {
    // In one that is being opened, our Hello may not be said yet, and nothing may be said before it.
    guard number == current, var session = sessions[number], let ping = session.rules.doubted(now: now) else { return }
    sessions[number] = session
    send(SessionBatch(ping: ping), on: number)
  }

  // MARK: Reach

  /// Tells the peer where it can call this machine.
  mutating func sendReach(_ number: Int) {
    guard let reach = surroundings.reach, let session = sessions[number], session.toldReach != reach else { return }
    sessions[number]?.toldReach = reach
    send(SessionBatch(reach: reach), on: number)
  }

  /// The peer tells where it can be called; first of all where it calls from itself.
  mutating func received(_ reach: Reach, _ number: Int) {
    guard let session = sessions[number] else { return }
    var endpoints: [SocketEndpoint] = []
    if !session.isOurs, !session.ends.remoteHost.hasPrefix("fe80") {
      endpoints.append(SocketEndpoint(host: session.ends.remoteHost, port: reach.port))
    }
    for host in reach.addresses.compactMap(settings.host) {
      let endpoint = SocketEndpoint(host: host, port: reach.port)
      if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
    }
    guard endpoints != told else { return }
    told = endpoints
    notes.told = endpoints
  }
}
