import LatchkeyModel
import Testing

@testable import LatchkeyProtocol

/// Tests of a pairing that only one side has completed.
@Suite struct PairingFateTests {
  private func fate(
    _ role: DeviceRole, lapsed: Bool = false, after milliseconds: Int64, isThisBoot: Bool = true
  ) -> PairingFate {
    PairingFate(
      role: role, hasLapsed: lapsed, since: BootInstant(milliseconds: 1_000), isThisBoot: isThisBoot,
      now: BootInstant(milliseconds: 1_000 + milliseconds))
  }

  @Test func anInviterForgetsAfterAMinute() {
    #expect(fate(.parent, after: 59_999) == .wait(1))
    #expect(fate(.parent, after: 60_000) == .discard)
    #expect(fate(.parent, after: 5, isThisBoot: false) == .discard)
  }

  @Test func aJoinerKeepsTheKeyForADay() {
    #expect(fate(.child, after: 0) == .wait(60_000))
    #expect(fate(.child, after: 60_000) == .lapse)
    #expect(fate(.child, after: 5, isThisBoot: false) == .lapse)
    #expect(fate(.child, lapsed: true, after: 86_399_999) == .wait(1))
    #expect(fate(.child, lapsed: true, after: 86_400_000) == .discard)
    // The day begins again when the machine restarts.
    #expect(fate(.child, lapsed: true, after: 86_400_000, isThisBoot: false) == .lapse)
  }
}
