import Glibc
import Histogram

/// Durations of one kind, in microseconds.
struct Durations {
  private var histogram = Histogram<UInt64>(highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: .three)
  private(set) var count = 0

  mutating func record(_ microseconds: Int64) {
    histogram.record(UInt64(max(0, microseconds)))
    count += 1
  }

  /// Returns a percentile in milliseconds.
  func percentile(_ percentile: Double) -> Double { Double(histogram.valueAtPercentile(percentile)) / 1_000 }

  /// The median in milliseconds.
  var median: Double { percentile(50) }

  /// The median and the 99th percentile in whole microseconds, for a line between processes.
  var text: String { "\(histogram.valueAtPercentile(50)) \(histogram.valueAtPercentile(99))" }

  /// Returns the reading of the boot clock in microseconds; the nodes' own times are on it as well.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
