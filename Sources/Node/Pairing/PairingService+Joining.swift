import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTransport

extension PairingService {
  /// Join with a code: checks it here, then works in the background. Spec: Protocol/03-pairing.md §2, §4.
  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    guard context.profile.role == .child else {
      throw LocalAPIError(
        .wrongRole,
        "This is a parent's machine: run `latchkey pair join` on the child's, and `latchkey pair invite` here.")
    }
    let code: PairingCredential
    do { code = try PairingCredential(request.code) } catch { throw LocalAPIError(.typo, error.description) }
    if case .pasted(let pasted) = code, pasted.commitment == context.party.keys.codeCommitment {
      throw LocalAPIError(.invalid, "This code was made on this very machine: enter it on the other one.")
    }
    var given: SocketEndpoint?
    if let peer = request.peer {
      guard let endpoint = SocketEndpoint(peer) else {
        throw LocalAPIError(.invalid, "“\(DeviceName(sanitising: peer))” is no address: give --peer as host:port.")
      }
      given = endpoint
    }
    for (id, pairing) in pairings where pairing.isInDoubt { await close(id, .network) }
    guard pairings.values.filter({ $0.record == nil && $0.progress.phase != .ended }).isEmpty else {
      throw LocalAPIError(
        .limit, "This machine is joining already: wait for that to end, or break it off with Ctrl-C there.")
    }
    steps.end(.entered, steps.begin())
    let id = Hexadecimal.encode(SecureRandom.bytes(8))
    pairings[id] = Pairing(
      progress: PairingProgress(
        pairingID: id, phase: .waiting, change: 1, part: .joiner,
        prefix: TypedCode.prefix(discriminator: code.discriminator)),
      discriminator: code.discriminator)
    let (asks, address) = (!request.acceptWithoutAsking, given)
    jobs.yield { await self.work(id, code, address, asks) }
    return try progress(id)
  }

  private func work(_ id: String, _ code: PairingCredential, _ given: SocketEndpoint?, _ asks: Bool) async {
    var tried: Set<SocketEndpoint> = []
    // Where nothing answered, which on a bad radio link may be otherwise a moment later.
    var unreached: Set<SocketEndpoint> = []
    var nextRound = context.now() + Self.roundMilliseconds
    // Whose word is in already: a machine with several addresses is asked once, for each guess costs.
    var answered: Set<String> = []
    var last = PairingOutcome.notFound
    let deadline = context.now() + Self.searchMilliseconds
    // When the network was asked first.
    var asked: BootInstant?
    while pairings[id]?.progress.phase != .ended, !Task.isCancelled {
      let seen = discovery.changes.version
      // The network is asked where the address in the code does not answer.
      let isFirst = tried.isEmpty && given == nil && address(of: code) != nil
      if !isFirst, asked == nil { asked = context.now() }
      for (endpoint, instance) in await candidates(code, given, isFirst: isFirst)
      where !answered.contains(instance ?? "") && tried.insert(endpoint).inserted {
        let isTrusted = instance == nil
        guard pairings[id]?.progress.phase != .ended else { return }
        guard await mayRun(code) else { return await close(id, .wrongCode) }
        hasMet = false
        pairings[id]?.source = !isTrusted ? .mdns : given == nil ? .code : .given
        context.logger.info(
          "trying a machine with an open code",
          metadata: ["address": "\(endpoint)", "found": isTrusted ? "by its address" : "over mDNS"])
        let outcome = await attempt(id, code, endpoint, asks)
        if let outcome { last = outcome } else { unreached.insert(endpoint) }
        if last == .network, await waitInDoubt(id) { return }
        // What anybody may have said ends nothing: only who showed the code, or sits where the code or the person says.
        let isSilence = last == .network || last == .expired || last == .notFound
        if let instance, outcome != nil, !isSilence { answered.insert(instance) }
        if hasMet || (isTrusted && !isSilence) { return await close(id, last) }
        if pairings[id]?.wasCancelled == true { return }
      }
      let now = context.now()
      let rest = deadline - now
      if isFirst, rest > 0 { continue }
      // A machine whose code it is may still announce itself; but silence from the address in the code is an answer too.
      let isAnswered = last == .expired && address(of: code) != nil && now - (asked ?? now) > 2_000
      guard given == nil, rest > 0, !isAnswered else { break }
      await discovery.changes.wait(after: seen, milliseconds: min(rest, 500))
      if context.now() >= nextRound {
        tried.subtract(unreached)
        unreached = []
        nextRound = context.now() + Self.roundMilliseconds
      }
    }
    if last == .expired || last == .notFound, await isPairedAlready(code) { last = .alreadyPaired }
    await close(id, last)
  }

  /// Whether the code was made by a machine that this one is paired with: then it was most likely this code that did it.
  private func isPairedAlready(_ code: PairingCredential) async -> Bool {
    guard case .pasted(let pasted) = code else { return false }
    return ((try? await context.store.peers()) ?? []).contains { record in
      guard record.state == .active, let keys = DeviceKeys(record.device) else { return false }
      return keys.codeCommitment == pasted.commitment
    }
  }

  private func address(of code: PairingCredential) -> PairingCode.Address? {
    if case .pasted(let pasted) = code { pasted.address } else { nil }
  }

  /// How long to look for the machine whose code it is.
  private static var searchMilliseconds: Int64 { 15_000 }
  /// After how long an address that could not be connected to is tried again.
  private static var roundMilliseconds: Int64 { 2_000 }

  /// Where to try; with the announcement that says so, or none where the code or a person does.
  private func candidates(
    _ code: PairingCredential, _ given: SocketEndpoint?, isFirst: Bool
  ) async -> [(endpoint: SocketEndpoint, instance: String?)] {
    if let given { return [(given, nil)] }
    var candidates: [(SocketEndpoint, String?)] = []
    if let address = address(of: code) {
      let host = address.ipv4.map(String.init).joined(separator: ".")
      candidates.append((SocketEndpoint(host: host, port: address.port), nil))
      if isFirst { return candidates }
    }
    return candidates
      + (await discovery.endpoints(discriminator: code.discriminator)).map { ($0.endpoint, $0.instance) }
  }

  /// Try one address; nil when nothing is there.
  private func attempt(
    _ id: String, _ code: PairingCredential, _ endpoint: SocketEndpoint, _ asks: Bool
  ) async -> PairingOutcome? {
    let began = steps.begin()
    let machine = PairingJoinerMachine(
      own: context.party, code: code, entropy: Self.entropy(), asksPerson: asks)
    steps.end(.handshake, began)
    let dialled = steps.begin()
    do {
      return try await Dialer().withConnection(to: endpoint, preamble: machine.opening.preamble, timeout: 3_000) {
        connection, frames in
        await self.connected(since: dialled)
        return await self.converse(id, machine, connection, frames)
      }
    } catch { return nil }
  }

  private func connected(since began: Int64?) {
    steps.end(.connect, began)
  }

  private func converse(
    _ id: String, _ machine: PairingJoinerMachine, _ connection: FrameConnection, _ frames: FrameReader
  ) async -> PairingOutcome {
    guard pairings[id] != nil else { return .cancelled }
    pairings[id]?.joiner = machine
    CrashPoint.joinerDialled.reached()
    pairings[id]?.connection = connection
    connection.send(machine.opening.frame)
    var outcome = PairingOutcome.network
    while let frame = await next(frames, id) {
      guard pairings[id]?.joiner != nil, pairings[id]?.progress.phase != .ended else { break }
      let began = steps.begin()
      let effects = pairings[id]?.joiner?.received(frame) ?? []
      steps.end(.handshake, began)
      if let ended = await run(id, effects) { outcome = ended }
      watch()
      if pairings[id]?.joiner?.isEnded != false { break }
    }
    let last = pairings[id]?.joiner?.connectionLost() ?? []
    if let ended = await run(id, last) { outcome = ended }
    if pairings[id]?.progress.outcome == .ok { outcome = .ok }
    hasMet = hasMet || pairings[id]?.joiner?.hasMetInviter == true
    pairings[id]?.joiner = nil
    pairings[id]?.connection = nil
    watch()
    return outcome
  }

  /// Run effects, but for how the attempt ends, which is the search's to judge.
  private func run(_ id: String, _ effects: [PairingEffect]) async -> PairingOutcome? {
    var outcome: PairingOutcome?
    for effect in effects {
      if case .finish(let ended) = effect { outcome = ended } else { await perform(id, [effect]) }
    }
    return outcome
  }
}
