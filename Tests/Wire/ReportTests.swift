import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport
import LatchkeyWire
import Testing

/// Tests of a machine with many applications, whose report states what it omits.
@Suite struct ReportTests {
  private let coding = MessageBodyCoding()

  private func sent(_ report: DeviceReport, _ random: inout SeededRandom) throws -> (bytes: Int, report: DeviceReport) {
    let receipt = CommandReceipt(commandID: Samples.commandID(&random), outcome: .executed(.report(report)), at: .max)
    let body = coding.encode(receipt)
    guard let read = try coding.receipt(body).outcome.state?.as(DeviceReport.self) else {
      Issue.record("the outcome changed")
      return (body.count, report)
    }
    return (body.count, read)
  }

  @Test func aReportThatFitsIsWhole() throws {
    var random = SeededRandom()
    let report = WireSamples.report(apps: 3, &random)
    #expect(try sent(report, &random).report == report, "\(random.note)")
  }

  @Test(arguments: [50, 200, 2_000]) func aReportOverTheLimitCountsWhatItLeavesOut(apps: Int) throws {
    var random = SeededRandom()
    var report = WireSamples.report(apps: 0, &random)
    report.omittedApps = 0
    for number in 0..<apps {
      var app = Samples.app(&random)
      app.displayName = "Application \(number) " + String(repeating: "x", count: 200)
      app.matchers = (0..<3).map { _ in AppMatcher(kind: .path, value: String(repeating: "p", count: 900)) }
      report.apps.append(app)
    }
    let (bytes, read) = try sent(report, &random)
    #expect(bytes <= Limits.itemBodyBytes, "\(random.note)")
    #expect(bytes > Limits.itemBodyBytes / 2, "most of the room is used")
    #expect(read.omittedApps > 0)
    #expect(read.apps.count + read.omittedApps == apps)
    #expect(read.apps == Array(report.apps.prefix(read.apps.count)), "\(random.note)")
    #expect(read.familySettings == report.familySettings)
  }

  @Test func whatWasLeftOutBeforeIsCountedToo() throws {
    var random = SeededRandom()
    var report = WireSamples.report(apps: 1, &random)
    report.omittedApps = 41
    #expect(try sent(report, &random).report.omittedApps == 41)
  }
}
