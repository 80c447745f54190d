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
      secret: SecureRandom.bytes(16), typedSecret: Self.typedSecret(), minutes: minutes, childName: request.childName,
      acceptsWithoutAsking: request.acceptWithoutAsking, bootID: context.bootID, openedAt: context.now())
    do { try await context.store.save(record) } catch { throw LocalAPIError(error) }
    open(record)
    await announce()
    var progress = try progress(record.pairingID)
    progress.code = pairings[record.pairingID]?.code?.text
    progress.typedCode = pairings[record.pairingID]?.typedCode?.text
    return progress
  }

  /// Six symbols of five random bits each.
  private static func typedSecret() -> [UInt8] {
    SecureRandom.bytes(TypedCode.secretSymbols).map { $0 & 31 }
  }

  /// Take up the codes that were open when the node last stopped; those of another boot have run out.
  func restore() async throws(StoreError) {
    for record in try await context.store.openInvitations() {
      let deadline = record.openedAt + Int64(record.minutes) * 60_000
      if record.bootID == context.bootID, deadline > context.now() {
        open(record)
      } else {
        try await context.store.close(record.pairingID, .expired)
      }
    }
    await announce()
  }

  private func open(_ record: InvitationRecord) {
    let typed =
      record.typedSecret.count == TypedCode.secretSymbols
      ? TypedCode(discriminator: record.discriminator, secretValues: record.typedSecret) : nil
    let code = PairingCode(
      discriminator: record.discriminator, minutesValid: UInt8(record.minutes), secret: SecretBytes(record.secret),
      commitment: context.party.keys.codeCommitment,
      address: codeAddress().map { PairingCode.Address(ipv4: $0, port: port) })
    pairings[record.pairingID] = Pairing(
      progress: PairingProgress(
        pairingID: record.pairingID, phase: .waiting, change: 1, part: .inviter,
        prefix: TypedCode.prefix(discriminator: record.discriminator), childName: record.childName,
        failuresLeft: Limits.pairingFailures - record.failures),
      code: code, typedCode: typed, record: record, deadline: record.openedAt + Int64(record.minutes) * 60_000)
  }

  /// A connection that names a code's discriminator. With no such code open it hears nothing.
  func serve(
    _ discriminator: UInt16, isTyped: Bool, _ connection: FrameConnection, _ frames: FrameReader,
    _ ticket: StrangerTicket
  ) async {
    guard let id = pairings.first(where: { $0.value.code?.discriminator == discriminator })?.key else { return }
    // A place is taken by whoever has said something, not by whoever has only connected.
    guard let first = await next(frames, id) else { return }
    // Whoever was wrong before waits, and without a place: others go first.
    var pause = throttle.wait(connection.remoteHost, now: context.now())
    while pause > 0, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(pause))
      pause = throttle.wait(connection.remoteHost, now: context.now())
    }
    guard let code = credential(id, isTyped: isTyped) else { return }
    guard pairings[id]?.inviter == nil else {
      connection.send(PairingNotice.busy.frame)
      return connection.close()
    }
    guard let discoveryKey = context.discoveryKey else { return }
    let began = steps.begin()
    // Made before the assignment, whose optional chain holds `pairings` while its right side is evaluated.
    let machine = PairingInviterMachine(
      own: context.party, code: code, joinerRole: .child, entropy: Self.entropy(), discoveryKey: discoveryKey,
      asksPerson: pairings[id]?.record?.acceptsWithoutAsking != true)
    steps.end(.handshake, began)
    pairings[id]?.connection = connection
    pairings[id]?.inviter = machine
    CrashPoint.inviterOpening.reached()
    var following: [UInt8]? = first
    while let frame = following {
      guard pairings[id]?.connection === connection, pairings[id]?.inviter != nil else { break }
      let began = steps.begin()
      let effects = pairings[id]?.inviter?.received(frame) ?? []
      steps.end(.handshake, began)
      await perform(id, effects)
      if pairings[id]?.progress.phase == .asking { ticket.release() }
      watch()
      following = await next(frames, id)
    }
    if pairings[id]?.connection === connection {
      if pairings[id]?.inviter?.isProven == false { throttle.abandoned(connection.remoteHost, now: context.now()) }
      let effects = pairings[id]?.inviter?.connectionLost() ?? []
      await perform(id, effects)
    }
    connection.close()
    watch()
  }

  private func credential(_ id: String, isTyped: Bool) -> PairingCredential? {
    isTyped
      ? pairings[id]?.typedCode.map { .typed($0) }
      : pairings[id]?.code.map { .pasted($0) }
  }

  /// Everything random for one attempt.
  static func entropy() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }

  /// The next frame; nil when the connection has ended or a step takes too long. A person may take as long as the code is open.
  func next(_ frames: FrameReader, _ id: String) async -> [UInt8]? {
    let isAsking = pairings[id]?.progress.phase == .asking
    let began = steps.begin()
    defer { steps.end(.frame, began) }
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
