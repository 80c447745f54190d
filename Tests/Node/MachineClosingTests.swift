import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What is said of applications that a machine does not close, or closes otherwise than their rules
/// say: Protocol/13-agent.md §4, §8.
@Suite struct MachineClosingTests {
  private static let time: Int64 = 1_795_446_000_000
  private let own: DeviceID
  private let chess, kart: AppID
  private let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))

  init() throws {
    var random = SeededRandom(seed: 5)
    own = Samples.deviceID(&random)
    chess = try #require(AppID("chess"))
    kart = try #require(AppID("kart"))
  }

  /// Looks at an application on a machine with conditions: each is a name and, after a space, a
  /// detail.
  private func look(
    _ app: AppID, _ conditions: [String] = [], running: AppID? = nil, on machines: Int = 1,
    rules change: (inout RuleSet) -> Void
  ) throws -> MachineClosing {
    var rules = RuleSet()
    change(&rules)
    let situation = Situation(
      boot: BootInstant(milliseconds: 1_000_000), time: Self.time, day: rules.boundary.day(containing: Self.time))
    let id = try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16)))
    let sessions = running.map { app in
      ChildStanding.Session(
        device: own,
        use: RunningUse(
          recordID: id, account: 1_000, child: child, appID: app, displayName: "", category: .neutral,
          milliPointsPerMinute: 0, since: Self.time, activeMilliseconds: 0), isStale: false)
    }
    let standing = ChildStanding(
      child: child, plan: DayPlan(rules, for: situation), situation: situation, running: sessions.map { [$0] } ?? [])
    let listings = conditions.map { text in
      let words = text.split(separator: " ").map(String.init)
      return ConditionListing(
        deviceID: own, deviceName: DeviceName(sanitising: "Emma's PC"), isOwn: false,
        condition: MachineCondition(words[0], detail: words.count > 1 ? words[1] : ""))
    }
    return MachineClosing(app, standing, on: machines == 0 ? [] : [own], listings)
  }

  private func listed(_ rules: inout RuleSet) {
    rules.programs = .listed
    rules.apps[chess, default: RuleSet.App()].category = .learning
  }

  @Test("A machine without conditions closes what the rules do not allow, and a child without a machine closes nothing")
  func plain() throws {
    let closed = try look(kart, rules: listed)
    #expect(!closed.isLeftOpen && closed.sentences.isEmpty)
    #expect(try look(kart, on: 0, rules: listed).isLeftOpen)
    #expect(try !look(chess, on: 0, rules: listed).isLeftOpen, "The rules allow it.")
    let silent = try look(kart, ["agent-silent"], rules: listed)
    #expect(silent.isLeftOpen && silent.sentences.first?.hasPrefix("No agent runs on “Emma's PC”") == true)
  }

  @Test("With listed programs, the agent of one user closes what rules or `usage track` name, and unknown programs")
  func single() throws {
    let own = ["own-programs-only"]
    // An application that a rule names is recognized, whether it is listed or not.
    #expect(try look(chess, own, rules: listed).sentences.isEmpty)
    let named = try look(kart, own) {
      listed(&$0)
      $0.apps[kart] = RuleSet.App()
    }
    #expect(!named.isLeftOpen && named.sentences.isEmpty)
    #expect(try !look(kart, own, running: kart, rules: listed).isLeftOpen, "What is tracked is closed.")
    #expect(try !look(.unknownPrograms, own, rules: listed).isLeftOpen)
    // Otherwise it depends on where the program is.
    for app in [kart, .otherPrograms] {
      let found = try look(app, own, rules: listed)
      #expect(!found.isLeftOpen && found.sentences.count == 1)
      #expect(found.sentences.first?.contains("closes only what is in a folder of the child's own") == true)
    }
  }

  @Test("At bedtime alone, the agent of one user leaves unlisted and unknown programs open")
  func singleAtBedtime() throws {
    for app in [kart, .otherPrograms, .unknownPrograms] {
      let found = try look(app, ["own-programs-only"]) { $0.lock = .on }
      #expect(found.isLeftOpen)
      #expect(found.sentences.first?.hasPrefix("Programs without a rule of their own are neither closed") == true)
      #expect(try !look(app) { $0.lock = .on }.isLeftOpen, "The system's agent closes them.")
      let blocked = try look(app, ["own-programs-only"]) { ($0.lock, $0.unknownPrograms) = (.on, .block) }
      #expect(!blocked.isLeftOpen, "Unknown programs are closed.")
    }
  }

  @Test("What nothing recognizes is closed as what no rule names, if that is closed")
  func unrecognized() throws {
    let told = ["rule-unrecognized kart"]
    func blocked(_ rules: inout RuleSet) { rules.apps[kart, default: RuleSet.App()].isBlocked = true }
    let open = try look(kart, told, rules: blocked)
    #expect(open.isLeftOpen && open.sentences.first?.contains("so its rules close nothing") == true)
    let closed = try look(kart, told) {
      blocked(&$0)
      $0.programs = .listed
    }
    #expect(!closed.isLeftOpen && closed.sentences.isEmpty)
    // What is listed closes there as well, although its own rules allow it.
    let allowed = try look(chess, ["rule-unrecognized chess"], rules: listed)
    #expect(!allowed.isLeftOpen && allowed.sentences.first?.contains("may be closed there") == true)
    #expect(try look(chess, ["rule-unrecognized chess"]) { $0.apps[chess] = RuleSet.App() }.sentences.isEmpty)
  }
}
