import LatchkeyModel

/// The peer's addresses, changes of the network, and the decision when to call. Spec:
/// Protocol/02-discovery.md §8, Protocol/04-session.md §5.
extension LinkMachine {
  /// The largest number of announced instances kept for one peer.
  private static let instances = 16

  // MARK: Calls

  var need: DialMachine.Need {
    let replaceable = replaceable
    // The usual case comes first: there is a session, and it is not in doubt.
    guard current == nil || replaceable != nil, !isEnded, attempt == nil, isWorthCalling, !standing.callingKeys.isEmpty
    else { return .nothing }
    return replaceable.map { .sessionBeside($0) } ?? .session
  }

  /// The current session if it is in doubt and has been silent for so long that another may replace
  /// it.
  var replaceable: Int? { current.flatMap { sessions[$0]?.rules.mayBeReplaced == true ? $0 : nil } }

  /// Returns the peer's possible addresses, best first.
  ///
  /// `remembered` has the addresses at which a session was authenticated, latest success first, and
  /// the addresses that a person entered. Each has its rung.
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

  /// Passes the stored addresses, each with its rung, to the dialler.
  public mutating func lookedUp(
    _ remembered: [(SocketEndpoint, AddressLadder<SocketEndpoint>.Rung)], now: BootInstant
  ) {
    self.now = now
    dialler.lookedUp(candidates(remembered), crowd: surroundings.crowd, now: now)
    settle()
  }

  public mutating func callEnded(_ call: Int, _ outcome: CallOutcome, now: BootInstant) {
    self.now = now
    if let endpoint = dialler.ended(call, outcome, crowd: surroundings.crowd, now: now) {
      if failedAddresses.count >= Limits.addresses { failedAddresses.removeAll() }
      failedAddresses.insert(endpoint)
      effects.append(.tell(.missed(endpoint, outcome)))
    }
    settle()
  }

  /// Turns the dialler's effects into effects of the link.
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

  // MARK: Changes of the network

  /// Records the addresses at which the peer is announced.
  ///
  /// `instance` is the name of the announcement, which changes with each start of the peer.
  public mutating func discovered(_ endpoints: [SocketEndpoint], instance: String, now: BootInstant) {
    self.now = now
    guard announced.last(where: { $0.instance == instance })?.endpoints != endpoints else { return }
    announced.removeAll { $0.instance == instance }
    makeRoom()
    announced.append((instance, endpoints))
    showsLife()
    let own = surroundings.ownHosts
    let port = surroundings.reach?.port ?? 0
    dialler.offered(endpoints.filter { $0.port != port || !own.contains($0.host) }, crowd: surroundings.crowd, now: now)
    // If the peer has moved, the session may be dead without notice. An announcement often contains
    // only addresses of the other IP version at first, which proves nothing.
    for number in sessions.keys.sorted() {
      guard let ends = sessions[number]?.ends else { continue }
      let comparable = endpoints.filter { ends.isOfVersion($0) }
      if !comparable.isEmpty, !comparable.contains(where: { ends.isAt($0) }) { doubt(number) }
    }
    settle()
  }

  /// Removes an instance if the limit is reached.
  ///
  /// An instance whose addresses all failed goes first, since an impostor that repeats the peer's
  /// announcements adds such instances. Otherwise one is chosen at random, so that a sender of many
  /// announcements cannot decide which.
  private mutating func makeRoom() {
    guard announced.count >= Self.instances else { return }
    let useless = announced.firstIndex { $0.endpoints.allSatisfy(failedAddresses.contains) }
    announced.remove(at: useless ?? Int(jitter.next() * Double(announced.count - 1)))
  }

  /// Removes an announcement that has disappeared; this does not mean that the peer is gone.
  public mutating func lost(instance: String) { announced.removeAll { $0.instance == instance } }

  /// Returns how this process learned an address; `nil` if it did not.
  public func source(of endpoint: SocketEndpoint) -> AddressSource? {
    if announced.contains(where: { $0.endpoints.contains(endpoint) }) { return .mdns }
    return told.contains(endpoint) ? .told : nil
  }

  /// The addresses where the peer can be called, according to the peer.
  public var toldAddresses: [SocketEndpoint] { told }

  /// Handles a change of this machine's addresses, or its return from sleep: checks the sessions
  /// and looks for the peer at once.
  public mutating func networkChanged(_ surroundings: LinkSurroundings, now: BootInstant) {
    self.now = now
    self.surroundings = surroundings
    for number in sessions.keys.sorted() {
      guard let ends = sessions[number]?.ends else { continue }
      // Nothing sent from an address that no longer exists is answered.
      if surroundings.ownHosts.contains(ends.localHost) { doubt(number) } else { abort(number) }
    }
    dialler.networkChanged(now: now)
    showsLife()
    if let current { sendReach(current) }
    settle()
  }

  /// Pings the peer of a session that may be dead, so that its silence shows within seconds.
  private mutating func doubt(_ number: Int) {
    // While a session is being opened, our Hello may be unsent, which nothing may precede.
    guard number == current, var session = sessions[number], let ping = session.rules.doubted(now: now) else { return }
    sessions[number] = session
    send(SessionBatch(ping: ping), on: number)
  }

  // MARK: Reach

  /// Sends the peer the addresses where it can call this machine.
  mutating func sendReach(_ number: Int) {
    guard let reach = surroundings.reach, let session = sessions[number], session.toldReach != reach else { return }
    sessions[number]?.toldReach = reach
    send(SessionBatch(reach: reach), on: number)
  }

  /// Records where the peer can be called, beginning with the address from which it called.
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
