import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// What `sync now --wait` tells while it waits.
@Suite struct PeerChangesTests {
  private func told(_ states: [SyncState]) -> [String] {
    var changes = PeerChanges()
    return states.flatMap { state in
      var peer = SampleValues.peer
      peer.sync = state
      return changes.lines(of: [peer], now: SampleValues.now)
    }
  }

  @Test func aMachineThatIsCalledAtOneAddressAfterTheOtherIsToldOnce() {
    let states = (0..<20).flatMap { round -> [SyncState] in
      let address = round.isMultiple(of: 2) ? "192.168.1.5:41234" : "[fe80::1]:41234"
      return [
        .connecting,
        .error(reason: "\(address) cannot be reached (timeout).", nextTryInMilliseconds: Int64(round) * 1_000),
      ]
    }
    #expect(
      told(states) == [
        "Emma's PC: connecting", "Emma's PC: 192.168.1.5:41234 cannot be reached (timeout). It is tried again now.",
      ])
  }

  @Test func aReasonOfAnotherKindIsNews() {
    let states: [SyncState] = [
      .error(reason: "10.0.0.1:1 cannot be reached.", nextTryInMilliseconds: nil),
      .error(reason: "The other machine's version is too old.", nextTryInMilliseconds: nil),
      .error(reason: "10.0.0.2:1 cannot be reached.", nextTryInMilliseconds: nil),
    ]
    #expect(told(states).count == 2)
  }

  @Test func afterAConnectionEverythingIsNewsAgain() {
    let failed = SyncState.error(reason: "10.0.0.1:1 cannot be reached.", nextTryInMilliseconds: 0)
    let states: [SyncState] = [.connecting, failed, .connecting, .synced(at: SampleValues.now), .connecting, failed]
    #expect(told(states).count == 5)
  }

  @Test func progressIsToldInTenths() {
    let states = (0...1_000).map { SyncState.syncing(done: $0, total: 1_000) }
    #expect(told(states).count == 11)
    #expect(told([.syncing(done: .max, total: .max), .syncing(done: 0, total: 0)]).count == 2)
  }
}
