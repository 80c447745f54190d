import LatchkeyModel
import LatchkeyProtocol
import Testing

@testable import LatchkeyNode

struct KnownMembersTests {
  private let key = [UInt8](repeating: 7, count: 32)
  private let nonce = [UInt8](repeating: 9, count: 8)
  private let members = KnownMembers()
  private let emma: DeviceID
  private let ben: DeviceID

  init() throws {
    emma = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 20)))
    ben = try #require(DeviceID(bytes: [UInt8](repeating: 2, count: 20)))
    members.set(keys: [key], devices: [emma, ben])
  }

  private func says(_ device: DeviceID, key: [UInt8]? = nil) -> [String: [UInt8]] {
    [
      "v": Array("1".utf8), "n": nonce,
      "h": DiscoveryHint.make(discoveryKey: key ?? self.key, nonce: nonce, device: device),
    ]
  }

  @Test func pairsThatALaterVersionAddsChangeNothing() {
    var later = says(emma)
    later["x-later"] = [0, 1, 2]
    #expect(members.owner(later) == emma && members.isOfInterest(later))
  }

  @Test func itIsKnownWhoIsMissed() {
    #expect(members.isAnybodyMissed && members.count == 2)
    members.set(emma, isConnected: true)
    #expect(members.isAnybodyMissed)
    members.set(ben, isConnected: true)
    #expect(!members.isAnybodyMissed)
    members.set(emma, isConnected: false)
    #expect(members.isAnybodyMissed)
    // An unpaired device is not missed.
    members.set(keys: [key], devices: [ben])
    #expect(!members.isAnybodyMissed && members.count == 1)
  }

  @Test func membersAreOfInterestAndAllToWhomWantsToKnow() {
    let code: [String: [UInt8]] = ["v": Array("1".utf8)]
    members.set(emma, isConnected: true)
    #expect(members.isOfInterest(says(emma)), "it may move")
    #expect(!members.isOfInterest(code))
    members.isEverybodyWanted = true
    #expect(members.isOfInterest(code) && members.isOfInterest(says(emma)))
    var other = code
    other["v"] = Array("2".utf8)
    #expect(!members.isOfInterest(other))
  }

  /// A stored result for a hint is valid only with the keys and devices for which it was computed.
  @Test func hintsAreLookedAtAnewAfterAChange() {
    let other = [UInt8](repeating: 8, count: 32)
    #expect(members.owner(says(emma, key: other)) == nil)
    #expect(members.owner(says(emma)) == emma)
    members.set(keys: [key, other], devices: [emma, ben])
    #expect(members.owner(says(emma, key: other)) == emma)
    members.set(keys: [key, other], devices: [ben])
    #expect(members.owner(says(emma)) == nil)
  }

  /// Only changes wake a waiting task.
  @Test func onlyNewsAreTold() {
    let first = members.changes.version
    members.set(keys: [key], devices: [emma, ben])
    members.set(emma, isConnected: false)
    members.isEverybodyWanted = false
    #expect(members.changes.version == first)
    members.set(emma, isConnected: true)
    members.isEverybodyWanted = true
    #expect(members.changes.version == first + 2)
  }
}
