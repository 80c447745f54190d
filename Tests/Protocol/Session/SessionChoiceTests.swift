import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of the choice among several sessions of a link.
@Suite struct SessionChoiceTests {
  private let low: DeviceID
  private let high: DeviceID

  init() throws {
    low = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.size)))
    high = try #require(DeviceID(bytes: [UInt8](repeating: 2, count: DeviceID.size)))
  }

  private func run(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

  /// A process sends a Hello and is killed before the Hello arrives.
  ///
  /// Its successor's session is open meanwhile.
  @Test("A Hello from a dead process in an older session does not replace its successor's session")
  func lateHelloOfADeadProcess() {
    var roster = SessionRoster(own: low, peer: high)
    roster.accepted(10)
    roster.accepted(11)
    var choice = roster.greeted(11, runID: run(2))
    #expect(choice == .keep(insteadOf: nil))
    roster.keep(11)
    choice = roster.greeted(10, runID: run(1))
    #expect(choice == .giveWay)
    #expect(roster.current == 11)
    // This also holds once the successor's session has ended.
    _ = roster.ended(11)
    roster.accepted(12)
    choice = roster.greeted(10, runID: run(1))
    #expect(choice == .giveWay)
    choice = roster.greeted(12, runID: run(2))
    #expect(choice == .keep(insteadOf: nil))
  }

  @Test("A restarted process replaces the session of the earlier one")
  func startedAnew() {
    var roster = SessionRoster(own: low, peer: high)
    roster.accepted(1)
    var choice = roster.greeted(1, runID: run(1))
    #expect(choice == .keep(insteadOf: nil))
    roster.keep(1)
    roster.accepted(2)
    choice = roster.greeted(2, runID: run(2))
    #expect(choice == .keep(insteadOf: 1))
  }

  @Test("Of two sessions of one process, both sides keep the one that the lower device ID dialed", arguments: [1, 2])
  func crossing(dialledFirst: Int) {
    // Each side dials once, and accepts the other's call before its own is answered.
    let (mine, theirs) = dialledFirst == 1 ? (1, 2) : (2, 1)
    func choice(own: DeviceID, peer: DeviceID) -> SessionRoster.Choice {
      var roster = SessionRoster(own: own, peer: peer)
      for number in 1...2 {
        if number == theirs { roster.accepted(theirs) } else if !roster.dialled(mine) { return .gone }
      }
      return roster.greeted(theirs, runID: run(3))
    }
    #expect(choice(own: low, peer: high) == .giveWay)
    #expect(choice(own: high, peer: low) == .keep(insteadOf: mine))
  }
}
