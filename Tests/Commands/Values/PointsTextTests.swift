import LatchkeyModel
import Testing

/// Points are read and written exactly, never through a floating-point number.
@Suite struct PointsTextTests {
  @Test(
    arguments: [
      ("0", 0), ("1", 1_000), ("2.5", 2_500), ("0.1", 100), ("0.01", 10), ("0.001", 1), ("0.125", 125), ("0.500", 500),
      ("007", 7_000), ("1000000", 1_000_000_000), ("1000000.000", 1_000_000_000), ("999999.999", 999_999_999),
      ("4.35", 4_350), ("1.005", 1_005), ("0.0", 0),
    ] as [(String, Int64)])
  func aNumberIsReadExactly(text: String, milliPoints: Int64) {
    #expect(PointsText.milliPoints(text) == milliPoints)
  }

  @Test(arguments: [
    "", ".", ".5", "5.", "1.2345", "0.0005", "-1", "+1", "1e3", "1,5", " 1", "1 ", "1.2.3", "0x10", "１", "٣", "NaN",
    "1000000.001", "1000001", "99999999", "1.-5", "1.+5", "∞",
  ])
  func whatIsNoNumberOfPointsIsRefused(text: String) {
    #expect(PointsText.milliPoints(text) == nil)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.001"), (10, "0.01"), (100, "0.1"), (1_000, "1"), (2_500, "2.5"), (1_005, "1.005"),
      (-1, "-0.001"),
      (-31_250, "-31.25"), (.max, "9223372036854775.807"), (.min, "-9223372036854775.808"),
    ] as [(Int64, String)])
  func pointsAreWrittenWithNoMorePlacesThanTheyNeed(milliPoints: Int64, text: String) {
    #expect(PointsText.text(milliPoints) == text)
  }

  @Test func whatIsWrittenIsReadAgain() {
    for milliPoints in stride(from: Int64(0), through: 1_000_000_000, by: 999_983) {
      #expect(PointsText.milliPoints(PointsText.text(milliPoints)) == milliPoints)
    }
  }
}
