import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What a parent knows of who is there in an account that several children share:
/// Protocol/10-household.md §3.
@Suite struct PresenceReadingTests {
  private let own, pc: DeviceID
  private let emma, ben: ChildID

  init() throws {
    var random = SeededRandom(seed: 77)
    (own, pc) = (Samples.deviceID(&random), Samples.deviceID(&random))
    emma = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))
    ben = ChildID(milliseconds: 2, random: [UInt8](repeating: 2, count: 10))
  }

  /// Reads who is there in an account in which programs of children run.
  private func user(
    _ running: [ChildID?], isStale: Bool = false, isConnected: Bool = true, account: UInt32 = 1_000
  ) throws -> AccountUser? {
    let owners = try #require(AccountOwners([emma, ben]))
    func register(_ zone: Zone, _ key: RegisterKey, _ value: String) -> Register {
      Register(zone, key, value, modified: HybridTimestamp(wall: 1, counter: 0, author: own))
    }
    let registers = [
      register(.machine(pc), HouseholdKey.child(emma), "yes"), register(.machine(pc), HouseholdKey.child(ben), "yes"),
      register(.machine(pc), HouseholdKey.account(1_000), owners.text),
      register(.machine(pc), HouseholdKey.account(1_001), emma.description),
    ]
    let machine = Household.Machine(
      device: pc, name: DeviceName(sanitising: "Family PC"), childName: nil, isToBeAssigned: false, accounts: [])
    let known = KnownRegisters(edition: 1, own: RegisterMap(registers), told: [:])
    let (id, app) = (try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16))), try #require(AppID("kart")))
    let sessions = running.map { child in
      ChildStanding.Session(
        device: pc,
        use: RunningUse(
          recordID: id, account: account, child: child, appID: app, displayName: "Kart", category: .neutral,
          milliPointsPerMinute: 0, since: 1, activeMilliseconds: 1), isStale: isStale)
    }
    return PresenceReading(
      household: Household(book: RuleBook(known, own: own), machines: [machine]), own: own, running: sessions,
      connected: isConnected ? [pc] : []
    ).user(of: account, on: pc)
  }

  @Test("It follows from whose use counts there, and from nothing that may be over or left out")
  func reading() throws {
    #expect(try user([ben, ben]) == .child(ben))
    #expect(try user([emma, ben]) == .together([emma, ben]))
    #expect(try user([]) == nil && user([nil]) == nil)
    #expect(try user([ben], isStale: true) == nil)
    #expect(try user([ben], isConnected: false) == nil)
    #expect(try user([ChildID?](repeating: ben, count: RunningUse.most)) == nil)
    #expect(try user([emma], account: 1_001) == nil, "It is Emma's alone.")
  }
}
