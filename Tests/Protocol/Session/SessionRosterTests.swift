import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests of the choice of a session, and of what the end of the other sessions means.
@Suite struct SessionRosterTests {
  private static let run = [UInt8](repeating: 1, count: 16)
  private let lower: DeviceID
  private let higher: DeviceID

  init() throws {
    lower = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.size)))
    higher = try #require(DeviceID(bytes: [UInt8](repeating: 2, count: DeviceID.size)))
  }

  @Test func anAttemptThatMakesWayForThePeersSessionHasNotFailed() {
    var roster = SessionRoster(own: higher, peer: lower)
    let isOfUse = roster.dialled(1)
    #expect(isOfUse)
    roster.accepted(2)
    #expect(roster.greeted(2, runID: Self.run) == .keep(insteadOf: 1))
    let attempt = roster.ended(1)
    #expect(!attempt.wasCurrent && !attempt.wasOfUse)
    roster.keep(2)
    #expect(roster.current == 2 && roster.attempt == nil)
    let session = roster.ended(2)
    #expect(session.wasCurrent && session.wasOfUse)
  }

  @Test func anAttemptThatEndsOtherwiseCounts() {
    var roster = SessionRoster(own: higher, peer: lower)
    let isOfUse = roster.dialled(1)
    #expect(isOfUse)
    let attempt = roster.ended(1)
    #expect(!attempt.wasCurrent && attempt.wasOfUse)
    #expect(!roster.contains(1) && roster.attempt == nil)
  }

  @Test func aPresentSessionThatMakesWayHasEnded() {
    var roster = SessionRoster(own: higher, peer: lower)
    roster.accepted(1)
    #expect(roster.greeted(1, runID: Self.run) == .keep(insteadOf: nil))
    roster.keep(1)
    roster.accepted(2)
    #expect(roster.greeted(2, runID: Self.run, ended: 1) == .keep(insteadOf: 1))
    let before = roster.ended(1)
    #expect(before.wasCurrent && before.wasOfUse)
  }

  @Test func thePeersSessionGivesWayToTheAttemptOfTheLowerDevice() {
    var roster = SessionRoster(own: lower, peer: higher)
    let isOfUse = roster.dialled(1)
    #expect(isOfUse)
    roster.accepted(2)
    #expect(roster.greeted(2, runID: Self.run) == .giveWay)
    let turnedAway = roster.ended(2)
    #expect(!turnedAway.wasCurrent && !turnedAway.wasOfUse)
    #expect(roster.greeted(1, runID: Self.run) == .keep(insteadOf: nil))
    roster.keep(1)
    #expect(roster.current == 1)
  }
}
