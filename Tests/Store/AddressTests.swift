import GRDB
import LatchkeyModel
import LatchkeyStore
import Testing

/// Tests of the addresses at which devices were authenticated.
@Suite struct AddressTests {
  private func addresses(_ rig: StoreRig, _ device: DeviceID) async throws -> [RememberedAddress] {
    try await rig.store.addresses(of: device)
  }

  @Test func anAddressIsKeptWithHowItWasLearntAndHowItDid() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    #expect(try await addresses(rig, device).isEmpty)
    let home = ReachedAddress("192.168.1.5:4000", source: .mdns, network: "aa")
    try await rig.store.seen(device, address: home, synced: false, isSession: true, at: 10)
    try await rig.store.addressFailed("192.168.1.5:4000", of: device, network: "aa", reason: "Refused.", at: 20)
    try rig.reopen()
    let kept = RememberedAddress(reached: home, lastSuccessAt: 10, lastFailureAt: 20, failure: "Refused.")
    #expect(try await addresses(rig, device) == [kept])
    // The same address in another network is a different one.
    let away = ReachedAddress("192.168.1.5:4000", source: .given, network: nil)
    try await rig.store.seen(device, address: away, synced: false, isSession: true, at: 30)
    #expect(try await addresses(rig, device) == [RememberedAddress(reached: away, lastSuccessAt: 30), kept])
  }

  @Test func whatNeverWorkedIsNotKept() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    try await rig.store.addressFailed("10.0.0.1:1", of: device, network: nil, reason: "Refused.", at: 20)
    #expect(try await addresses(rig, device).isEmpty)
  }

  @Test func aSessionThatDoesNotKnowWhereItsAddressIsFromLeavesWhatIsKnown() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    for (source, at) in [(AddressSource.code, 1), (.connection, 2)] as [(AddressSource, Int64)] {
      try await rig.store.seen(
        device, address: ReachedAddress("10.0.0.1:1", source: source, network: "n"), synced: false, at: at)
    }
    #expect(try await addresses(rig, device).map(\.reached.source) == [.code])
    #expect(try await addresses(rig, device).map(\.lastSuccessAt) == [2])
    try await rig.store.seen(
      device, address: ReachedAddress("10.0.0.1:1", source: .mdns, network: "n"), synced: false, at: 3)
    #expect(try await addresses(rig, device).map(\.reached.source) == [.mdns])
  }

  @Test func ofManyAddressesThoseThatWorkedLastStay() async throws {
    let rig = try StoreRig()
    let device = try await rig.paired()
    for number in 1...20 {
      let address = ReachedAddress("10.0.0.\(number):1", source: .mdns, network: "n\(number)")
      try await rig.store.seen(device, address: address, synced: false, at: Int64(number))
    }
    #expect(try await addresses(rig, device).map(\.lastSuccessAt) == (5...20).reversed().map(Int64.init))
  }

  @Test func aPairingBringsAnAddressAndARemovalTakesAllAway() async throws {
    let rig = try StoreRig()
    let device = rig.device()
    try await rig.store.savePending(
      device, pairwiseKey: rig.random.bytes(32), invitation: nil,
      address: ReachedAddress("10.0.0.1:1", source: .code, network: "n"), bootID: "boot",
      now: BootInstant(milliseconds: 1))
    #expect(try await addresses(rig, device.deviceID).map(\.reached.source) == [.code])
    // A pairing that is rolled back leaves no trace.
    try await rig.store.discardPending(device.deviceID)
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM address") } == 0)
    try await rig.pair(device.deviceID, .child)
    try await rig.store.seen(
      device.deviceID, address: ReachedAddress("10.0.0.1:1", source: .mdns, network: nil), synced: false, at: 5)
    _ = try await rig.store.remove(device.deviceID, removal: nil, itemID: [], at: 6)
    #expect(try rig.look { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM address") } == 0)
  }
}
