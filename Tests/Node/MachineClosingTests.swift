import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// What is said of applications that a machine does not close, or closes otherwise than their rules
/// say: Protocol/13-agent.md §4, §8.
@Suite struct MachineClosingTests {
  static let time: Int64 = 1_795_446_000_000
  let own: DeviceID
  let chess, kart: AppID
  let child = ChildID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10))

  init() throws {
    var random = SeededRandom(seed: 5)
    own = Samples.deviceID(&random)
    chess = try #require(AppID("chess"))
    kart = try #require(AppID("kart"))
  }

  /// Looks at an application on a machine with conditions: each is a name and, after a space, a
  /// detail or the number of an account.
  func look(
    _ app: AppID, _ conditions: [String] = [], running: AppID? = nil, on machines: Int = 1,
    accounts: Set<UInt32>? = nil, isWhole: Bool = true, installed: Set<AppID> = [],
    refused: Set<AppID> = [], rules change: (inout RuleSet) -> Void
  ) throws -> MachineClosing {
    let machine = machine(conditions, accounts: accounts, isWhole: isWhole, installed: installed, refused: refused)
    return MachineClosing(
      app, try standing(running: running, rules: change), on: machines == 0 ? [] : [machine])
  }

  func standing(running: AppID? = nil, rules change: (inout RuleSet) -> Void) throws -> ChildStanding {
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
    return ChildStanding(
      child: child, plan: DayPlan(rules, for: situation.with(running)), situation: situation.with(running),
      running: sessions.map { [$0] } ?? [])
  }

  func machine(
    _ conditions: [String], accounts: Set<UInt32>? = nil, isWhole: Bool = true, installed: Set<AppID> = [],
    refused: Set<AppID> = []
  ) -> ToldMachine {
    let listings = conditions.map { text in
      let words = text.split(separator: " ").map(String.init)
      return ConditionListing(
        deviceID: own, deviceName: DeviceName(sanitising: "Emma's PC"), isOwn: false,
        condition: MachineCondition(
          words[0], account: words.count > 1 ? UInt32(words[1]) : nil,
          detail: words.count > 1 && UInt32(words[1]) == nil ? words[1] : ""))
    }
    return ToldMachine(
      device: own, conditions: listings, accounts: accounts, words: "“Emma's PC”",
      name: DeviceName(sanitising: "Emma's PC"), isWhole: isWhole,
      installed: installed, refused: refused)
  }

  func listed(_ rules: inout RuleSet) {
    rules.programs = .listed
    rules.apps[chess, default: RuleSet.App()].category = .learning
  }

  func blocked(_ rules: inout RuleSet) { rules.apps[kart, default: RuleSet.App()].isBlocked = true }

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
    let unknown = try look(.unknownPrograms, own, rules: listed)
    #expect(!unknown.isLeftOpen && !unknown.isPartlyOpen)
    // Otherwise it depends on where the program is: what is installed goes on.
    for app in [kart, .otherPrograms] {
      let found = try look(app, own, installed: [kart], rules: listed)
      #expect(found.isLeftOpen == (app == .otherPrograms) && found.isPartlyOpen == (app == kart))
      #expect(found.sentences.count == 1)
      #expect(found.sentences.first?.contains("closes only what is in a folder of the child's own") == true)
    }
    let refused = try look(kart, own, refused: [kart], rules: listed)
    #expect(!refused.isLeftOpen && !refused.isPartlyOpen, "It is a file of the child's own.")
  }

  @Test("What one of several machines leaves open is not said to be closed")
  func several() throws {
    let standing = try standing(rules: blocked)
    let found = MachineClosing(kart, standing, on: [machine([]), machine(["agent-silent"])])
    #expect(!found.isLeftOpen && found.isPartlyOpen && found.sentences.count == 1)
    let closed = MachineClosing(kart, standing, on: [machine([]), machine([])])
    #expect(!closed.isLeftOpen && !closed.isPartlyOpen && closed.sentences.isEmpty)
    let locked = try self.standing { $0.lock = .on }
    #expect(
      MachineClosing.besides(Phrase("locked"), [locked], on: [machine([]), machine(["own-programs-only"])]).worded()
        == "locked, but only what a rule names is closed on every machine")
  }

  @Test("What only an account's own entry names is left open like programs without a rule of their own, and said so")
  func ownEntry() throws {
    let single = try look(kart, ["own-programs-only", "rule-own-entry kart"]) {
      $0.lock = .on
      $0.apps[kart] = RuleSet.App()
    }
    #expect(single.isLeftOpen && single.sentences.count == 1)
    #expect(single.sentences.first?.hasPrefix("Programs without a rule of their own are neither closed") == true)
    #expect(single.sentences.first?.contains("nly the child's own account says which program") == true)
    let system = try look(kart, ["rule-own-entry kart"]) {
      $0.lock = .on
      $0.apps[kart] = RuleSet.App()
    }
    #expect(!system.isLeftOpen && system.sentences.isEmpty, "Unknown programs are closed.")
    let allowed = try look(kart, ["rule-own-entry kart"]) {
      $0.lock = .on
      $0.apps[kart, default: RuleSet.App()].isAlwaysAllowed = true
    }
    let words = allowed.sentences.first ?? ""
    #expect(!allowed.isLeftOpen && words.contains("is recognized as “kart”, so that it is closed there"), "\(words)")
    let free = try look(kart, ["rule-own-entry kart"]) { $0.apps[kart] = RuleSet.App() }
    #expect(!free.isLeftOpen && free.sentences.isEmpty, "\(free.sentences)")
  }

  @Test("What only an entry names for a file of the child's own is closed where unknown programs are, before it starts")
  func ownFile() throws {
    func listed(_ rules: inout RuleSet) {
      rules.programs = .listed
      rules.apps[kart, default: RuleSet.App()].category = .neutral
    }
    for told in [["own-programs-only", "rule-own-file kart"], ["rule-own-file kart"]] {
      let closed = try look(kart, told, rules: listed)
      #expect(
        closed.closedWords?.worded() == "nothing on “Emma's PC” is recognized as it" && !closed.isRefused, "\(told)")
      #expect(closed.sentences.count == 1 && closed.sentences.first?.contains("counts as an unknown program") == true)
      #expect(try look(kart, told) { $0.apps[kart] = RuleSet.App() }.sentences.isEmpty, "All programs may run.")
      let used = try look(kart, told) {
        listed(&$0)
        $0.lock = .on
      }
      #expect(!used.isLeftOpen && used.sentences.isEmpty, "It is closed as an unknown program.")
    }
    // A script is run by a program of the system's, which the agent of one user leaves open.
    let script = try look(kart, ["own-programs-only", "rule-own-entry kart"], rules: listed)
    #expect(script.closedWords == nil && script.sentences.count == 1)
    // At bedtime alone, that agent has no orders for unknown programs, whatever was refused before.
    let bedtime = try look(kart, ["own-programs-only", "rule-own-file kart"], refused: [kart]) {
      $0.lock = .on
      $0.apps[kart, default: RuleSet.App()].isAlwaysAllowed = true
    }
    #expect(bedtime.closedWords == nil && bedtime.sentences.isEmpty)
  }

  @Test("What a rule recognizes by now is not what the machine has told of it before")
  func putRight() throws {
    let digest = AppMatcher(kind: .sha256, value: String(repeating: "0a", count: 32))
    func listed(_ matchers: [AppMatcher], _ rules: inout RuleSet) {
      rules.programs = .listed
      rules.apps[kart, default: RuleSet.App()].category = .neutral
      rules.apps[kart]?.matchers = matchers
    }
    for name in ["rule-own-file", "rule-own-entry", "rule-unrecognized"] {
      for told in [["\(name) kart"], ["own-programs-only", "\(name) kart"]] {
        let allowed = try look(kart, told) { listed([digest], &$0) }
        #expect(allowed.closedWords == nil && allowed.sentences.isEmpty && !allowed.isLeftOpen, "\(told)")
      }
    }
    let path = AppMatcher(kind: .path, value: "/opt/kart/kart")
    let missing = try look(kart, ["rule-unrecognized kart"]) { listed([path], &$0) }
    #expect(missing.closedWords != nil, "What the path names may be missing there.")
    #expect(try look(kart, ["rule-own-file kart"]) { listed([path], &$0) }.sentences.isEmpty)
  }

  @Test(
    "What a machine has told before it confirmed the last change says nothing of new matchers, and is said to be old")
  func unconfirmed() throws {
    var behind = machine(["rule-unrecognized kart"])
    behind.isBehind = true
    func listed(_ matchers: [AppMatcher], _ rules: inout RuleSet) {
      rules.programs = .listed
      rules.apps[kart, default: RuleSet.App()].category = .neutral
      rules.apps[kart]?.matchers = matchers
    }
    let path = AppMatcher(kind: .path, value: "/opt/kart/kart")
    let allowed = MachineClosing(kart, try standing { listed([path], &$0) }, on: [behind])
    #expect(allowed.closedWords == nil && !allowed.isLeftOpen && allowed.sentences.count == 1)
    #expect(
      allowed.sentences.first?.hasPrefix("“Emma's PC” has not confirmed the last change of the rules yet.") == true)
    let blocked = try standing {
      $0.apps[kart, default: RuleSet.App()].isBlocked = true
      $0.apps[kart]?.matchers = [path]
    }
    let unsure = MachineClosing(kart, blocked, on: [behind])
    #expect(!unsure.isLeftOpen && unsure.isPartlyOpen && unsure.sentences == allowed.sentences)
    // Without a matcher, no change of the rules makes anything recognized as it.
    #expect(MachineClosing(kart, try standing { listed([], &$0) }, on: [behind]).closedWords != nil)
    behind.isBehind = false
    #expect(MachineClosing(kart, blocked, on: [behind]).isLeftOpen)
  }

  @Test("A condition names its application as people do, or by what can be read of its ID")
  func names() throws {
    let condition = MachineCondition("rule-bad-matcher", detail: "org.example.Quux")
    let quux = try #require(AppID(condition.detail))
    #expect(RuleTerms().told(condition) == ConditionKind.AppWords(name: "Quux", argument: quux.text))
    let named = RuleTerms(names: [quux: "Quux Game"]).told(condition)
    #expect(named == ConditionKind.AppWords(name: "Quux Game", argument: "Quux Game"))
    #expect(RuleTerms().told(MachineCondition("other-enforcer", detail: "timekpr")) == nil)
  }

  @Test("What is always allowed is explained as such, with the groups that say so")
  func alwaysAllowed() throws {
    let own = try standing {
      $0.lock = .on
      $0.apps[kart] = RuleSet.App()
      $0.apps[kart]?.isAlwaysAllowed = true
    }
    #expect(own.explained(kart).map(\.words) == ["always allowed"])
    let fun = try #require(GroupName("Fun"))
    let grouped = try standing {
      $0.apps[kart] = RuleSet.App()
      $0.groups[fun, default: RuleSet.Group()].members = [kart]
      $0.groups[fun]?.isAlwaysAllowed = true
    }
    #expect(grouped.explained(kart).first?.words == "always allowed by the group “Fun”")
    #expect(try standing(rules: blocked).explained(kart).allSatisfy { $0.rule != "alwaysAllowed" })
  }

  @Test("At bedtime alone, the agent of one user leaves unlisted and unknown programs open")
  func singleAtBedtime() throws {
    for app in [kart, .otherPrograms, .unknownPrograms] {
      let found = try look(app, ["own-programs-only"]) { $0.lock = .on }
      #expect(found.isLeftOpen)
      #expect(found.sentences.first?.hasPrefix("Programs without a rule of their own are neither closed") == true)
      #expect(try !look(app) { $0.lock = .on }.isLeftOpen, "The system's agent closes them.")
      let blocked = try look(app, ["own-programs-only"]) { ($0.lock, $0.unknownPrograms) = (.on, .block) }
      #expect(
        blocked.isLeftOpen == (app == .otherPrograms), "Unknown programs are closed, and not what is installed.")
    }
  }

  @Test("What nothing recognizes is closed as what no rule names, if that is closed")
  func unrecognized() throws {
    let told = ["rule-unrecognized kart"]
    let open = try look(kart, told, rules: blocked)
    #expect(open.isLeftOpen && open.sentences.first?.contains("so its rules close nothing") == true)
    let closed = try look(kart, told) {
      blocked(&$0)
      $0.programs = .listed
    }
    #expect(!closed.isLeftOpen && closed.sentences.isEmpty)
    // What is listed closes there as well, although its own rules allow it.
    let allowed = try look(chess, ["rule-unrecognized chess"], rules: listed)
    #expect(!allowed.isLeftOpen && allowed.sentences.first?.contains("is closed there") == true)
    #expect(allowed.closedWords?.worded() == "nothing on “Emma's PC” is recognized as it" && !allowed.isRefused)
    #expect(try look(chess, ["rule-unrecognized chess"]) { $0.apps[chess] = RuleSet.App() }.sentences.isEmpty)
  }

  @Test("What is listed is said to be closed where a file of the child's own was refused as it, and not where it runs")
  func refusedThere() throws {
    let told = ["own-programs-only", "rule-unrecognized chess"]
    // The agent of one user closes what the child can write to alone.
    let unsure = try look(chess, told, rules: listed)
    #expect(unsure.closedWords == nil && unsure.sentences.first?.contains("may be closed there") == true)
    let refused = try look(chess, told, refused: [chess], rules: listed)
    #expect(refused.closedWords != nil && refused.isRefused && !refused.isLeftOpen)
    #expect(
      refused.sentences == [
        "Nothing on “Emma's PC” is recognized as “chess”, so that it is closed there like programs that no rule names."
      ])
    #expect(try look(chess, told, running: chess, refused: [chess], rules: listed).closedWords == nil)
    let another = try look(chess, ["own-programs-only"], refused: [chess], rules: listed)
    #expect(another.closedWords == nil && another.isRefused)
    #expect(
      another.sentences == ["A file of “chess” that no parent has allowed is closed on “Emma's PC”."],
      "It has one more.")
    let open = try look(chess, told, refused: [chess]) { $0.apps[chess] = RuleSet.App() }
    #expect(open.closedWords == nil && open.sentences.isEmpty, "All programs may run.")
    #expect(try look(kart, told, refused: [kart], rules: listed).closedWords == nil, "Its rules do not allow it.")
  }
}

extension Situation {
  /// Returns the situation while an application runs.
  fileprivate func with(_ app: AppID?) -> Situation {
    var situation = self
    if let app { situation.running = [1_000: [Subject(app)]] }
    return situation
  }
}
