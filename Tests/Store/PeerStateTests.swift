import LatchkeyModel
import LatchkeyStore
import Testing

/// Tests of the states of a peer: pending, paired, removed, paired again.
@Suite struct PeerStateTests {
  private let child = Fixed.device(2)

  private func pend(_ test: TestStore, key: UInt8, invitation: String? = nil) async throws {
    try await test.store.savePending(
      RegisteredDevice(
        deviceID: child, name: DeviceName(sanitising: "child"), role: .child,
        identityKey: String(repeating: "01", count: 32), linkKey: String(repeating: "02", count: 32), pairedAt: 1),
      pairwiseKey: [UInt8](repeating: key, count: 32), invitation: invitation, bootID: "boot",
      now: BootInstant(milliseconds: 5))
  }

  private func record(_ test: TestStore) async throws -> PeerRecord? {
    try await test.store.peers().first { $0.device.deviceID == child }
  }

  @Test func aPairingThatIsRolledBackLeavesNoTrace() async throws {
    let test = try TestStore()
    try await pend(test, key: 1)
    #expect(try await record(test)?.sessionKey == [UInt8](repeating: 1, count: 32))
    try await test.store.discardPending(child)
    #expect(try await record(test) == nil)
    // The late answer of the other half finds nothing to complete.
    #expect(try await test.store.promote(child, at: 9) == false)
  }

  @Test func aRolledBackRenewalKeepsTheOldKey() async throws {
    let test = try TestStore()
    try await pend(test, key: 1)
    #expect(try await test.store.promote(child, at: 2))
    try await pend(test, key: 2)
    #expect(try await record(test)?.sessionKey?.first == 2)
    try await test.store.discardPending(child)
    #expect(try await record(test)?.sessionKey?.first == 1)
    #expect(try await record(test)?.state == .active)
  }

  @Test func aRemovedDeviceStaysRemovedUntilItIsPairedAnew() async throws {
    let test = try TestStore()
    try await pend(test, key: 1)
    _ = try await test.store.promote(child, at: 2)
    let id = try await test.send("m", to: child, number: 1)
    let removed = try await test.store.remove(
      child, removal: [1, 2, 3], itemID: [UInt8](repeating: 0, count: 16), at: 3)
    #expect(removed.cancelled == [id])
    #expect(try await test.store.command(id)?.status == .cancelled)
    #expect(try await record(test)?.state == .removedUntold)
    try await test.store.removalTold(child)
    try test.reopen()
    #expect(try await record(test)?.state == .removed)
    #expect(try await record(test)?.sessionKey == nil)
    try await pend(test, key: 4)
    #expect(try await test.store.promote(child, at: 5))
    #expect(try await record(test)?.state == .active)
    #expect(try await test.waiting(child, .control).isEmpty)
  }

  @Test func wrongGuessesAreCountedThroughARestart() async throws {
    let test = try TestStore()
    try await test.store.save(
      InvitationRecord(
        pairingID: "a", discriminator: 3, secret: [UInt8](repeating: 9, count: 16),
        typedSecret: [UInt8](repeating: 9, count: 6), minutes: 5, childName: nil,
        acceptsWithoutAsking: false, bootID: "boot", openedAt: BootInstant(milliseconds: 1)))
    for expected in 1...3 { #expect(try await test.store.countFailure("a") == expected) }
    try test.reopen()
    #expect(try await test.store.openInvitations().first?.failures == 3)
    #expect(try await test.store.countFailure("a") == 4)
    #expect(try await test.store.countFailure("a") == Limits.pairingFailures)
    #expect(try await test.store.openInvitations().isEmpty)
  }

  @Test func theFirstSessionSpendsTheCode() async throws {
    let test = try TestStore()
    try await test.store.save(
      InvitationRecord(
        pairingID: "b", discriminator: 3, secret: [UInt8](repeating: 9, count: 16),
        typedSecret: [UInt8](repeating: 9, count: 6), minutes: 5, childName: nil,
        acceptsWithoutAsking: false, bootID: "boot", openedAt: BootInstant(milliseconds: 1)))
    try await pend(test, key: 1, invitation: "b")
    #expect(try await test.store.promote(child, at: 2))
    #expect(try await test.store.openInvitations().isEmpty)
  }
}
