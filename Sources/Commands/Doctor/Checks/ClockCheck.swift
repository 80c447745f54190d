import LatchkeyModel

/// The check of the clocks, for information only, since no decision of Latchkey depends on them.
struct ClockCheck: Check {
  /// The largest difference that is not reported, in milliseconds.
  static let allowance: Int64 = 60_000

  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    if facts.clock.isSynchronised == false {
      findings.append(
        Finding(
          "clock-unsynchronised", .information,
          "No time service keeps this machine's clock right, so times may look odd; nothing else hangs on it.",
          next: "Switch one on with `sudo timedatectl set-ntp true`."))
    }
    var ahead: [String: Int64] = [:]
    for stamp in facts.clock.stamps { ahead[stamp.device] = max(ahead[stamp.device] ?? .min, stamp.at) }
    for (device, at) in ahead.sorted(by: { $0.key < $1.key }) where at > facts.clock.now + Self.allowance {
      findings.append(
        Finding(
          "clock-difference", .information,
          "The clock of “\(device)” is at least \(SpanText.of(at - facts.clock.now)) ahead of this machine's.",
          next: "Compare both with a watch; times of use may look odd, and nothing else hangs on them."))
    }
    return findings
  }
}
