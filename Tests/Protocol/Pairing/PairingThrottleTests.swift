import LatchkeyModel
import Testing

@testable import LatchkeyProtocol

/// Tests of the delays after wrong guesses.
@Suite struct PairingThrottleTests {
  private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  @Test func nobodyWaitsBeforeAFailure() {
    #expect(PairingThrottle().wait("192.0.2.1", now: at(5)) == 0)
  }

  @Test func everybodyWaitsALittleAndTheSourceLonger() {
    var throttle = PairingThrottle()
    throttle.failed("192.0.2.1", now: at(1_000))
    #expect(throttle.wait("192.0.2.2", now: at(1_000)) == 500)
    #expect(throttle.wait("192.0.2.2", now: at(1_499)) == 1)
    #expect(throttle.wait("192.0.2.2", now: at(1_500)) == 0)
    #expect(throttle.wait("192.0.2.1", now: at(1_000)) == 1_000)
    #expect(throttle.wait("192.0.2.1", now: at(2_000)) == 0)
  }

  @Test func aSourcesPauseDoublesUpToABound() {
    var throttle = PairingThrottle()
    for expected in [1_000, 2_000, 4_000, 4_000, 4_000] as [Int64] {
      throttle.failed("192.0.2.1", now: at(7_000))
      #expect(throttle.wait("192.0.2.1", now: at(7_000)) == expected)
    }
    for _ in 0..<1_000 { throttle.failed("192.0.2.1", now: at(7_000)) }
    #expect(throttle.wait("192.0.2.1", now: at(7_000)) == 4_000)
  }

  /// A peer that takes the places of others and leaves again must not delay them.
  @Test func whoLeavesWaitsAlone() {
    var throttle = PairingThrottle()
    for expected in [1_000, 2_000, 4_000] as [Int64] {
      throttle.abandoned("192.0.2.1", now: at(7_000))
      #expect(throttle.wait("192.0.2.1", now: at(7_000)) == expected)
    }
    #expect(throttle.wait("192.0.2.2", now: at(7_000)) == 0)
  }

  @Test func aSourceIsForgivenInTheEnd() {
    var throttle = PairingThrottle()
    for _ in 0..<4 { throttle.failed("192.0.2.1", now: at(0)) }
    throttle.failed("192.0.2.1", now: at(PairingThrottle.forgivenMilliseconds))
    #expect(throttle.wait("192.0.2.1", now: at(PairingThrottle.forgivenMilliseconds)) == 1_000)
  }

  @Test func sourcesAreRememberedWithinABound() {
    var throttle = PairingThrottle()
    for number in 0..<10_000 { throttle.failed("source \(number)", now: at(Int64(number))) }
    #expect(throttle.wait("source 9999", now: at(10_499)) == 500, "the last ones are known")
    #expect(throttle.wait("source \(10_000 - PairingThrottle.sources)", now: at(10_000)) > 500 - 1)
    #expect(throttle.wait("source 0", now: at(10_499)) == 0, "and the first ones forgotten")
  }
}
