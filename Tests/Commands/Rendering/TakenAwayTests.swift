import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// The words for what was taken from a child: points, and a machine.
@Suite struct TakenAwayTests {
  @Test func whereNothingWasTakenThePlaceOfThePointsIsNamed() {
    var result = PointsAdjusted(points: SampleValues.points, milliPoints: 0, asked: 0, commands: [])
    result.points.parts = [
      .init(deviceName: SampleValues.points.parts[0].deviceName, milliPoints: 50_000),
      .init(deviceName: DeviceName(sanitising: "here"), milliPoints: 0, isHere: true),
    ]
    let words = PointsSentences.adjusted(result)
    #expect(words.count == 1)
    #expect(words[0].hasPrefix("Nothing was taken: Emma has 50 points on “"), "\(words)")
    result.points.parts = []
    #expect(
      PointsSentences.adjusted(result) == ["Nothing was taken: Emma has no points, as far as this machine knows."])
    result.milliPoints = -1_000
    #expect(PointsSentences.adjusted(result).first == "Emma loses 1 point.")
  }

  @Test func redeemedTimeOfAnotherMachineIsNamedWithIt() {
    var points = SampleValues.points
    points.parts = [
      .init(deviceName: DeviceName(sanitising: "Emma's PC"), milliPoints: 0, redeemedMilliseconds: 1_200_000)
    ]
    for role in [DeviceRole.parent, .child] {
      let words = PointsSentences.all(points, on: role)
      #expect(words.contains { $0.contains("20 min of redeemed time are left on “Emma's PC”") }, "\(words)")
      #expect(!words.contains { $0.hasPrefix("Ready to be spent") })
    }
  }

  @Test func whatIsLeftIsSaidOnlyWherePointsAreUsed() {
    var day = SampleValues.today
    day.milliPoints = nil
    #expect(TodayText.points(day).isEmpty)
    day.milliPoints = 1_000
    #expect(TodayText.points(day) == ["1 point is left."])
    day.milliPoints = 0
    #expect(TodayText.points(day) == ["No points are left for rewards."])
    day.redeemedMilliseconds = 1_200_000
    #expect(TodayText.points(day).first == "20 min of redeemed time is left.")
  }
}
