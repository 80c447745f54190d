import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTransport

extension PairingService {
  /// Open a code. Spec: Protocol/03-pairing.md §2, §7.
  func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    guard context.profile.role == .parent else {
      throw LocalAPIError(
        .wrongRole,
        "This is a child's machine: run `latchkey pair invite` on the parent's, and `latchkey pair join` here.")
    }
    let minutes = request.minutes ?? Limits.pairingMinutes.usual
    guard (Limits.pairingMinutes.least...Limits.pairingMinutes.most).contains(minutes) else {
      throw LocalAPIError(.invalid, "A code is open for 1 to 15 minutes: give --minutes a number in that range.")
    }
    if let childName = request.childName {
      do { _ = try DeviceName(childName) } catch { throw LocalAPIError(.invalid, error.description) }
    }
    let others = pairings.values.filter { $0.code != nil }
    guard others.count < Limits.invitations else {
      throw LocalAPIError(.limit, "\(Limits.invitations) codes are open: cancel one with `latchkey pair cancel` first.")
    }
    var discriminator: UInt16
    repeat {
      let random = SecureRandom.bytes(2)
      discriminator = (UInt16(random[0]) << 8 | UInt16(random[1])) & 1_023
    } while others.contains { $0.code?.discriminator == discriminator }
    let record = InvitationRecord(
      pairingID: Hexadecimal.encode(SecureRandom.bytes(8)), discriminator: discriminator,
      secret: SecureRandom.bytes(16), minutes: minutes, childName: request.childName,
      acceptsWithoutAsking: request.acceptWithoutAsking, bootID: context.bootID, openedAt: context.now())
    do { try await context.store.save(record) } catch { throw LocalAPIError(error) }
    let code = open(record)
    await announce()
    var progress = try progress(record.pairingID)
    progress.code = code.text
    return progress
  }

  /// Take up the codes that were open when the node last stopped; those of another boot have run out.
  func restore() async throws(StoreError) {
    for record in try await context.store.openInvitations() {
      let deadline = record.openedAt + Int64(record.minutes) * 60_000
      if record.bootID == context.bootID, deadline > context.now() {
        _ = open(record)
      } else {
        try await context.store.close(record.pairingID, .expired)
      }
    }
    await announce()
  }

  private func open(_ record: InvitationRecord) -> PairingCode {
    let code = PairingCode(
      discriminator: record.discriminator, minutesValid: UInt8(record.minutes), secret: SecretBytes(record.secret),
      commitment: context.party.keys.codeCommitment,
      address: codeAddress().map { PairingCode.Address(ipv4: $0, port: port) })
    pairings[record.pairingID] = Pairing(
      progress: PairingProgress(
        pairingID: record.pairingID, phase: .waiting, change: 1, failuresLeft: Limits.pairingFailures - record.failures),
      code: code, record: record, deadline: record.openedAt + Int64(record.minutes) * 60_000)
    return code
  }

  /// A connection that names a code's discriminator. With no such code open it hears nothing.
  func serve(
    _ discriminator: UInt16, _ connection: FrameConnection, _ frames: FrameReader, _ ticket: StrangerTicket
  ) async {
    guard let id = pairings.first(where: { $0.value.code?.discriminator == discriminator })?.key,
      let code = pairings[id]?.code
    else { return }
    // A place is taken by whoever has said something, not by whoever has only connected.
    guard let first = await next(frames, id), pairings[id]?.code != nil else { return }
    guard pairings[id]?.inviter == nil else {
      connection.send(PairingNotice.busy.frame)
      return connection.close()
    }
    guard let discoveryKey = context.discoveryKey else { return }
    // Made before the assignment, whose optional chain holds `pairings` while its right side is evaluated.
    let machine = PairingInviterMachine(
      own: context.party, code: code, joinerRole: .child, random: SecureRandom.bytes(32),
      ephemeralKey: LinkKeyPair.generate(), discoveryKey: discoveryKey,
      asksPerson: pairings[id]?.record?.acceptsWithoutAsking != true)
    pairings[id]?.connection = connection
    pairings[id]?.inviter = machine
    var following: [UInt8]? = first
    while let frame = following {
      guard pairings[id]?.connection === connection, pairings[id]?.inviter != nil else { break }
      let effects = pairings[id]?.inviter?.received(frame) ?? []
      await perform(id, effects)
      if pairings[id]?.progress.phase == .asking { ticket.release() }
      watch()
      following = await next(frames, id)
    }
    if pairings[id]?.connection === connection {
      let effects = pairings[id]?.inviter?.connectionLost() ?? []
      await perform(id, effects)
    }
    connection.close()
    watch()
  }

  /// The next frame; nil when the connection has ended or a step takes too long. A person may take as long as the code is open.
  func next(_ frames: FrameReader, _ id: String) async -> [UInt8]? {
    let isAsking = pairings[id]?.progress.phase == .asking
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { await frames.next() }
      group.addTask {
        try? await Task.sleep(
          for: .milliseconds(
            isAsking ? Int64(Limits.pairingMinutes.most) * 60_000 : Limits.pairingStepMilliseconds))
        return nil
      }
      let frame = await group.next() ?? nil
      group.cancelAll()
      return frame
    }
  }
}
