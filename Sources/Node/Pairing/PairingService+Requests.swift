import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport

/// The requests that begin a pairing: opening a code, entering one, and a joiner's connection.
extension PairingService {
  /// Opens a code, on a parent.
  ///
  /// Spec: Protocol/03-pairing.md §2, §7.
  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    let minutes = request.minutes ?? Limits.pairingMinutes.usual
    guard (Limits.pairingMinutes.least...Limits.pairingMinutes.most).contains(minutes) else {
      throw LocalAPIError(
        .invalid, phrase: "A code is open for 1 to 15 minutes: give --minutes a number in that range.")
    }
    if let childName = request.childName {
      do { _ = try DeviceName(childName) } catch { throw LocalAPIError(.invalid, phrase: error.phrase) }
    }
    let discriminator = try reserveDiscriminator()
    defer { reserved.remove(discriminator) }
    let record = InvitationRecord(
      pairingID: Hexadecimal.encode(SecureRandom.bytes(8)), discriminator: discriminator,
      secret: SecureRandom.bytes(16), typedSecret: SecureRandom.bytes(TypedCode.secretSymbols).map { $0 & 31 },
      minutes: minutes, childName: request.childName, acceptsWithoutAsking: request.acceptWithoutAsking,
      bootID: context.bootID, openedAt: context.now())
    do { try await context.store.save(record) } catch { throw LocalAPIError(error) }
    let run = open(record)
    await announce()
    return await run.opened
  }

  /// Returns a discriminator that no other open code has, and keeps it from others while its code
  /// is being stored.
  private func reserveDiscriminator() throws(LocalAPIError) -> UInt16 {
    let taken = reserved.union(openCodes)
    guard taken.count < Limits.invitations else {
      throw LocalAPIError(
        .limit, phrase: "{count} codes are open: cancel one with `latchkey pair cancel` first.",
        ["count": .number(Limits.invitations)])
    }
    var discriminator: UInt16
    repeat {
      let random = SecureRandom.bytes(2)
      discriminator = (UInt16(random[0]) << 8 | UInt16(random[1])) & 1_023
    } while taken.contains(discriminator)
    reserved.insert(discriminator)
    return discriminator
  }

  /// Opens the codes again that were open when the node last stopped, except those from another
  /// boot, which have expired.
  func restore() async throws(StoreError) {
    for record in try await context.store.openInvitations() {
      if record.bootID == context.bootID, record.deadline > context.now() {
        _ = open(record)
      } else {
        try await context.store.close(record.pairingID, .expired)
      }
    }
    await announce()
  }

  private func open(_ record: InvitationRecord) -> PairingRun {
    let address = codeAddress().map { PairingCode.Address(ipv4: $0, port: port) }
    let run = PairingRun(record, at: address, service: self)
    runs[record.pairingID] = run
    return run
  }

  /// Serves a connection that names a code's discriminator; without such a code, it gets no answer.
  func serve(
    _ discriminator: UInt16, isTyped: Bool, _ connection: FrameConnection, _ frames: FrameReader,
    _ ticket: StrangerTicket
  ) async {
    guard let run = runs.values.first(where: { $0.code == nil && $0.discriminator == discriminator }) else { return }
    // A connection that has sent nothing takes no place.
    guard let first = await frames.next(within: Limits.pairingStepMilliseconds, run.ledger.steps) else { return }
    // A source that guessed wrong before waits without taking a place, so that others go first.
    var pause = withThrottle { $0.wait(connection.remoteHost, now: $1) }
    while pause > 0, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(pause))
      pause = withThrottle { $0.wait(connection.remoteHost, now: $1) }
    }
    await run.serve(first, isTyped: isTyped, PairingRun.Line(connection: connection, ticket: ticket), frames)
  }

  /// Joins with a code, on a child: checks it here, then continues in the background.
  ///
  /// Spec: Protocol/03-pairing.md §2, §4.
  func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    let code: PairingCredential
    do { code = try PairingCredential(request.code) } catch { throw LocalAPIError(.typo, error.description) }
    if case .pasted(let pasted) = code, pasted.commitment == context.party.keys.codeCommitment {
      throw LocalAPIError(.invalid, phrase: "This code was created on this machine: enter it on the other one.")
    }
    let given = try request.peer.map { (peer) throws(LocalAPIError) in
      guard let endpoint = SocketEndpoint(peer) else {
        throw LocalAPIError(
          .invalid, phrase: "“{address}” is not an address: give --peer as host:port.",
          ["address": .text(DeviceName(sanitising: peer).text)])
      }
      return endpoint
    }
    for run in runs.values { await run.take { $0.superseded() } }
    guard !runs.values.contains(where: { $0.code != nil }) else {
      throw LocalAPIError(
        .limit, phrase: "This machine is already joining: wait for that to end, or cancel it with Ctrl-C there.")
    }
    let id = Hexadecimal.encode(SecureRandom.bytes(8))
    let run = PairingRun(id, code, asksPerson: !request.acceptWithoutAsking, service: self)
    runs[id] = run
    start { await run.search(code, at: given) }
    return await run.progress
  }
}
