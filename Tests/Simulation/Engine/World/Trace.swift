/// The events as lines, which are recorded only on request.
public struct Trace: Sendable {
  /// The lines, oldest first; empty if they were not requested.
  public private(set) var lines: [String] = []
  /// A number that depends on all events, even if no lines are recorded.
  public private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
  private let isKept: Bool

  init(isKept: Bool) {
    self.isKept = isKept
  }

  mutating func note(_ time: Int64, _ kind: UInt64, _ line: () -> String) {
    for part in [UInt64(bitPattern: time), kind] { fingerprint = (fingerprint ^ part) &* 0x100_0000_01B3 }
    if isKept {
      let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
      let micros = String(rest)
      lines.append("\(seconds).\(String(repeating: "0", count: 6 - micros.count))\(micros) \(line())")
    }
  }
}
