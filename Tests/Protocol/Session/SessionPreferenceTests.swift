import LatchkeyModel
import LatchkeyProtocol
import Testing

@Suite struct SessionPreferenceTests {
  private let low: DeviceID
  private let high: DeviceID
  private let lowRun = [UInt8](repeating: 1, count: 16)
  private let highRun = [UInt8](repeating: 2, count: 16)

  init() throws {
    low = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.size)))
    high = try #require(DeviceID(bytes: [UInt8](repeating: 2, count: DeviceID.size)))
  }

  /// Returns the session that a side keeps if sessions open in this order, each given by the device
  /// that dialed it.
  private func kept(_ initiators: [DeviceID], own: DeviceID) -> Int {
    let peer = own == low ? high : low
    let sessions = initiators.map { SessionPreference(initiator: $0, peerRunID: own == low ? highRun : lowRun) }
    var kept = 0
    for next in sessions.indices.dropFirst() where sessions[kept].yields(to: sessions[next], own: own, peer: peer) {
      kept = next
    }
    return kept
  }

  /// The peer has seen the older session end and calls again; its call counts, whatever its ID.
  @Test func whoHasSeenItEndDoesNotGiveWayToTheRest() {
    let old = SessionPreference(initiator: low, peerRunID: highRun, peerEnded: 3)
    #expect(old.yields(to: SessionPreference(initiator: high, peerRunID: highRun, peerEnded: 4), own: low, peer: high))
    #expect(!old.yields(to: SessionPreference(initiator: high, peerRunID: highRun, peerEnded: 3), own: low, peer: high))
    #expect(!old.yields(to: SessionPreference(initiator: high, peerRunID: highRun, peerEnded: 2), own: low, peer: high))
  }

  /// Both sides dialled at once.
  ///
  /// Both keep the session that the device with the lower ID dialled, whichever opened first.
  @Test func bothSidesKeepTheSameOfTwoThatCross() {
    for initiators in [[low, high], [high, low]] {
      for own in [low, high] {
        #expect(initiators[kept(initiators, own: own)] == low, "\(own.short) sees \(initiators.map(\.short))")
      }
    }
  }

  @Test func whoeverDialsAgainIsBelieved() {
    for initiator in [low, high] {
      for own in [low, high] { #expect(kept([initiator, initiator], own: own) == 1) }
    }
  }

  /// Three sessions.
  ///
  /// Each side sees the first two, which cross, in its own order, and then the third.
  @Test func bothSidesAgreeWhenTheLowerDialsAgainAfterACrossing() {
    for first in [[low, high], [high, low]] {
      for own in [low, high] { #expect(kept(first + [low], own: own) == 2) }
    }
  }

  @Test func aPeerThatWasStartedAnewTakesThePlaceWhoeverDialled() {
    let newRun = [UInt8](repeating: 9, count: 16)
    for own in [low, high] {
      let peer = own == low ? high : low
      for older in [low, high] {
        for newer in [low, high] {
          let old = SessionPreference(initiator: older, peerRunID: own == low ? highRun : lowRun)
          #expect(old.yields(to: SessionPreference(initiator: newer, peerRunID: newRun), own: own, peer: peer))
        }
      }
    }
  }
}
