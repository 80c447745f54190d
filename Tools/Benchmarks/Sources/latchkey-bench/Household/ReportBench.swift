import LatchkeyModel
import LatchkeyRules

/// Reports of a year, and the totals that decisions use.
struct ReportBench {
  let family: BenchFamily
  let records: Int
  let rounds: Int

  func rows(_ peers: PythonPeers) throws -> [BenchRow] {
    let slices = slices()
    let boundary = family.rules.boundary
    let first = boundary.day(containing: BenchFamily.start)
    let last = boundary.day(containing: slices.last?.end ?? BenchFamily.start)
    let sums = try peers.sums(of: slices, rounds: rounds)
    var rows: [BenchRow] = []
    for (period, peer) in zip([ReportPeriod.day, .week, .month], sums) {
      let taken = try median {
        var report = UsageReport(boundary, period, from: first, through: last)
        for slice in slices { report.add(slice) }
        precondition(!report.periods.isEmpty, "the report is empty")
      }
      rows.append(
        BenchRow(
          "report of \(records) records by \(period)", taken, "ms", peer: peer, target: "under 50 ms", met: taken < 50))
    }
    let taken = try median {
      var totals = UseTotals(boundary)
      for slice in slices {
        totals.add(
          UseSpan(
            app: slice.appID, category: slice.category, start: slice.start, milliseconds: slice.activeMilliseconds))
      }
      precondition(!totals.use.isEmpty, "there are no totals")
    }
    return rows + [BenchRow("totals of these records, each instant once", taken, "ms")]
  }

  private func slices() -> [UsageSlice] {
    let categories = [AppCategory.learning, .learning, .learning, .learning, .reward, .reward, .reward, .reward]
    let pause = 365 * 86_400_000 / Int64(records)
    return (0..<records).map { number in
      let place = number % BenchFamily.apps.count
      let start = BenchFamily.start + Int64(number) * pause
      return UsageSlice(
        appID: BenchFamily.apps[place], displayName: "Application \(place)",
        category: place < categories.count ? categories[place] : .neutral,
        rate: PointsRate(milliPointsPerMinute: 1_000), start: start, end: start + pause * 9 / 10,
        activeMilliseconds: pause * 8 / 10, earnedMilliPoints: 5)
    }
  }

  /// Returns the median of the processor times, in milliseconds.
  private func median(_ body: () -> Void) throws -> Double {
    var taken: [Double] = []
    for _ in 0..<rounds { taken.append(try ProcessCost.ofThisProcess(body) * 1_000) }
    return taken.median
  }
}
