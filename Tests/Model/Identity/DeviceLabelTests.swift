import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// Tests of the names of devices, and of which of two wins.
@Suite struct DeviceLabelTests {
  private static func name(_ text: String) -> DeviceName { DeviceName(sanitising: text) }

  @Test func theLaterOfTwoLabelsHolds() {
    var random = SeededRandom(seed: 1)
    let (one, other) = (Samples.deviceID(&random), Samples.deviceID(&random))
    let made = DeviceLabel(Self.name("made"))
    let first = DeviceLabel(Self.name("first"), at: HybridTimestamp(wall: 5, counter: 0, author: one))
    let second = DeviceLabel(Self.name("second"), at: HybridTimestamp(wall: 5, counter: 1, author: one))
    let elsewhere = DeviceLabel(Self.name("elsewhere"), at: HybridTimestamp(wall: 5, counter: 1, author: other))
    #expect(first.replaces(made) && !made.replaces(first) && !made.replaces(made))
    #expect(second.replaces(first) && !first.replaces(second) && !second.replaces(second))
    #expect(second.replaces(elsewhere) != elsewhere.replaces(second))
  }

  @Test(
    arguments: [
      ("Emma's PC", [], "Emma's PC"), ("Emma's PC", ["Ben's PC"], "Emma's PC"),
      ("Emma's PC", ["Emma's PC"], "Emma's PC 2"), ("Emma's PC", ["emma's pc", "EMMA'S PC 2"], "Emma's PC 3"),
      (
        String(repeating: "x", count: 64), [String(repeating: "x", count: 64)], String(repeating: "x", count: 62) + " 2"
      ),
      // A name is cut between scalars.
      (
        String(repeating: "é", count: 32), [String(repeating: "é", count: 32)], String(repeating: "é", count: 31) + " 2"
      ),
    ] as [(String, [String], String)])
  func aNameThatIsTakenGetsANumber(text: String, taken: [String], expected: String) {
    #expect(Self.name(text).distinct(from: taken.map(Self.name)).text == expected)
  }
}
