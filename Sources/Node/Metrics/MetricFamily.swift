import LatchkeyModel

/// A metric with its series, as Prometheus' text format of version 0.0.4 writes it.
///
/// Spec: Protocol/07-local-api.md §4.
struct MetricFamily: Hashable, Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  struct Sample: Hashable, Sendable {
    /// The end of the series' name after the metric's name, such as `_sum`.
    var suffix = ""
    var labels: [Label] = []
    var value: Double
  }

  struct Label: Hashable, Sendable {
    var name: String
    var value: String
  }

  let name: String
  let kind: Kind
  let help: String
  let samples: [Sample]

  init(_ kind: Kind, _ name: String, _ help: String, _ value: some BinaryInteger) {
    self.init(kind, name, help, samples: [Sample(value: Double(value))])
  }

  /// Creates a metric with a series for each value of a label.
  init<Value: BinaryInteger>(
    _ kind: Kind, _ name: String, _ help: String, by label: String, _ values: [(String, Value)]
  ) {
    self.init(
      kind, name, help,
      samples: values.map { Sample(labels: [Label(name: label, value: $0.0)], value: Double($0.1)) })
  }

  /// Creates a metric of durations in seconds.
  init(_ name: String, _ help: String, _ histogram: DurationHistogram) {
    var (samples, count) = ([Sample](), 0)
    for (bound, number) in zip(histogram.bounds.map(Self.text) + ["+Inf"], histogram.counts) {
      count += number
      samples.append(Sample(suffix: "_bucket", labels: [Label(name: "le", value: bound)], value: Double(count)))
    }
    samples += [Sample(suffix: "_sum", value: histogram.sum), Sample(suffix: "_count", value: Double(count))]
    self.init(.histogram, name, help, samples: samples)
  }

  init(_ kind: Kind, _ name: String, _ help: String, samples: [Sample]) {
    (self.kind, self.name, self.help, self.samples) = (kind, name, help, samples)
  }

  /// Returns metrics as text, in their order; a metric without series and a series that is there
  /// already are left out.
  static func text(_ families: [MetricFamily]) -> String {
    var seen: Set<String> = []
    var lines: [String] = []
    for family in families {
      let series = family.samples.map { (name: family.seriesName($0), value: text($0.value)) }
        .filter { seen.insert($0.name).inserted }
      if series.isEmpty { continue }
      lines.append("# HELP \(family.name) \(escaped(family.help))")
      lines.append("# TYPE \(family.name) \(family.kind.rawValue)")
      lines += series.map { "\($0.name) \($0.value)" }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func seriesName(_ sample: Sample) -> String {
    let labels = sample.labels.map { label in
      "\(label.name)=\"\(Self.escaped(label.value).replacing("\"", with: "\\\""))\""
    }
    return name + sample.suffix + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
  }

  private static func text(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
