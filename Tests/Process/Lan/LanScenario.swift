import Foundation
import LatchkeyTestSupport
import Testing

/// A situation that occurs in families' networks, with a name for `Tools/lan-lab`.
struct LanScenario: Sendable {
  /// The name for `Tools/lan-lab run`.
  let name: String
  /// The runs that try it.
  let part: Part

  /// The runs of the tests that try a scenario.
  enum Part: Sendable {
    case everyRun
    case thoroughRuns
    /// `Tools/lan-lab` alone, since it takes minutes.
    case lab
  }

  // `Tools/lan-lab list` reads these lines.
  static let meet2 = LanScenario("meet-2", "2 nodes meet")
  static let meet10 = LanScenario("meet-10", "10 nodes meet")
  static let meet40 = LanScenario("meet-40", "40 nodes meet", .thoroughRuns)
  static let sameName = LanScenario("same-name", "two nodes of one name, two more on one machine")
  static let loss = LanScenario("loss", "20 % of the packets are lost, the rest comes 200 ms late", .thoroughRuns)
  static let flaps = LanScenario("flaps", "the cable is pulled and put in again, several times")
  static let address = LanScenario("address", "the address of the parent changes, then that of the child")
  static let stopped = LanScenario("stopped", "a node stands still for longer than a session lives", .thoroughRuns)
  static let daemon = LanScenario("daemon", "avahi-daemon is absent, appears, is restarted, is killed")
  static let death = LanScenario("death", "a machine dies without a word and returns at another address")
  static let blocked = LanScenario("blocked", "multicast is blocked; later all between the ports is, and not any more")
  static let routed = LanScenario("routed", "two routed subnets without multicast; the parent moves, then the child")
  static let docker = LanScenario("docker", "a docker0 with the same address on both machines")
  static let six = LanScenario("ipv6", "link-local IPv6 alone")
  static let spoofer = LanScenario("spoofer", "a stranger announces what our peers announce, at its own address")
  static let doctor = LanScenario("doctor", "what latchkey doctor says of planted faults")
  static let cold = LanScenario("cold-start", "machines just turned on, beside avahi-browse", .thoroughRuns)
  static let powerCut = LanScenario("power-cut", "power fails at 1 parent and 60 children", .thoroughRuns)
  static let first = LanScenario("first-contact", "a node is started, beside avahi-browse", .thoroughRuns)
  static let day = LanScenario("day", "three nodes announce themselves for as many hours as a day has", .thoroughRuns)
  static let idle = LanScenario("idle", "multicast of nodes that have nothing to do", .lab)

  private init(_ name: String, _ title: String, _ part: Part = .everyRun) {
    self.name = name
    self.part = part
  }

  /// Skips the scenario where it cannot run, or was not asked for.
  var isChosen: ConditionTrait {
    let chosen = ProcessInfo.processInfo.environment["LATCHKEY_LAN"].map {
      Set($0.split(separator: ",").map(String.init))
    }
    if let chosen, !chosen.contains("all"), !chosen.contains(name) {
      return .enabled(if: false, "skipped: not asked for")
    }
    if self.name == Self.day.name, BuiltProgram.isForRelease {
      return .enabled(if: false, "skipped: hours of seconds are of debug builds alone; run it without --release")
    }
    if chosen == nil, part == .lab || part == .thoroughRuns && !Length.isThorough {
      return .enabled(if: false, "skipped: run it with: Tools/lan-lab run \(name)")
    }
    return .enabled(if: LanLab.obstacle == nil, "skipped: \(LanLab.obstacle ?? "")")
  }

  /// Runs the scenario in its own lab, and writes the results where `Tools/lan-lab` reads them.
  func run(_ body: (LanLab) async throws -> Void) async throws {
    let begun = ContinuousClock.now
    var (figures, hasMissed) = ([String](), false)
    do {
      try await LanLab.run { lab in
        defer { (figures, hasMissed) = (lab.figures, lab.hasMissed) }
        try await body(lab)
      }
      report(hasMissed ? "missed" : "passed", begun.duration(to: .now), figures)
    } catch {
      report("FAILED", begun.duration(to: .now), figures + ["\(error)"])
      throw error
    }
  }

  /// The file that `Tools/lan-lab` makes its table from; beside it, ending with `.day`, what the
  /// scenario of that name saw.
  static var report: String? { ProcessInfo.processInfo.environment["LATCHKEY_LAN_REPORT"] }

  private func report(_ verdict: String, _ duration: Duration, _ figures: [String]) {
    guard let file = Self.report.flatMap({ fopen($0, "a") }) else { return }
    defer { fclose(file) }
    let words = figures.joined(separator: "; ").replacing("\n", with: " ")
    fputs("\(name)\t\(verdict)\t\(LanLab.text(duration))\t\(words)\n", file)
  }
}
