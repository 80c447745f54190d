import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// The text of metrics: Protocol/07-local-api.md §4.
@Suite struct MetricFamilyTests {
  @Test("Metrics and series stand in their order, with whole numbers as such")
  func order() {
    let text = MetricFamily.text([
      MetricFamily(.gauge, "b_items", "Items.", by: "class", [("usage", 3), ("command", 0)]),
      MetricFamily(.counter, "a_total", "All.", 7),
      MetricFamily(.gauge, "c_seconds", "Time.", samples: [.init(value: 0.25)]),
    ])
    #expect(
      text == """
        # HELP b_items Items.
        # TYPE b_items gauge
        b_items{class="usage"} 3
        b_items{class="command"} 0
        # HELP a_total All.
        # TYPE a_total counter
        a_total 7
        # HELP c_seconds Time.
        # TYPE c_seconds gauge
        c_seconds 0.25

        """)
  }

  @Test("A histogram has the number of durations up to each bound, their sum and their number")
  func histogram() {
    var histogram = DurationHistogram(bounds: [0.1, 1])
    for seconds in [0.05, 0.1, 0.5, 2, -3] { histogram.add(seconds) }
    let text = MetricFamily.text([MetricFamily("wait_seconds", "Time.", histogram)])
    #expect(
      text == """
        # HELP wait_seconds Time.
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.1"} 3
        wait_seconds_bucket{le="1"} 4
        wait_seconds_bucket{le="+Inf"} 5
        wait_seconds_sum 2.65
        wait_seconds_count 5

        """)
  }

  @Test("What has a meaning in the text is escaped")
  func escaping() {
    let text = MetricFamily.text([MetricFamily(.gauge, "a", "One\n\\two\".", by: "b", [("c\\\"d\ne", 1)])])
    #expect(text == "# HELP a One\\n\\\\two\".\n# TYPE a gauge\na{b=\"c\\\\\\\"d\\ne\"} 1\n")
  }

  @Test("A series is written once, and a metric without series not at all")
  func duplicates() {
    let text = MetricFamily.text([
      MetricFamily(.gauge, "a", "A.", by: "b", [("c", 1), ("c", 2)]),
      MetricFamily(.gauge, "empty", "None.", samples: []),
    ])
    #expect(text == "# HELP a A.\n# TYPE a gauge\na{b=\"c\"} 1\n")
  }
}
