import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyProtocol
@testable import LatchkeyWeb

/// The pages with data in which nothing is in English but phrases: names have no vowel.
struct SamplePages {
  static let now: Int64 = 1_795_950_000_000

  /// The content of each page whose data are known here, by its path and who looks at it.
  let data: [(page: Page, data: PageData)]

  init() throws {
    let child = Self.child
    let status = Self.status([Self.peer("Bld", isConnected: false), Self.peer("Frd", isConnected: true)])
    let day = try Self.day(child)
    let requests = try Self.requests(of: child)
    let rule = RuleListing(
      key: "limits/daily", value: "1", name: "xyz", words: "zyx", setBy: child.name, setAt: 0, notInForce: "ytz",
      phrase: RuleText.listed("schedule/bedtime", "mon-fri 20:00-07:00, sun 21:00-07:00"),
      notInForcePhrase: Phrase(
        "This version does not know the rule {rule}: update Latchkey on this machine.", ["rule": "zyx"]))
    let rules = ChildRules(child: child, rules: [rule], family: [rule])
    let report = UseReport(
      childID: child.childID, name: child.name, period: "day", from: "", to: "",
      periods: [
        UseReport.Period(
          start: "2026-11-24", milliseconds: 1,
          categories: [CategoryToday(category: .learning, usedMilliseconds: 5_000_000)],
          rows: [
            UseReport.Row(
              appID: try #require(AppID("x.y")), displayName: "Chss", category: .learning, milliseconds: 5_000_000,
              earnedMilliPoints: 0, sessions: 1)
          ])
      ])
    let monday = FamilyDay("2026-11-23") ?? .first
    let unnamed = UnnamedToday(
      sentence: Phrase("this machine"),
      screen: VerdictToday(isAllowed: false, rule: "bedtime", reason: Phrase("bedtime")),
      at: Self.now, zone: "Europe/Berlin", apps: day.apps)
    let pairings = Self.pairings()
    let peer = status.peers[0]
    let conditions = ["agent-silent", "no-sessions", "clock-unset", "screen-not-locked"].map { name in
      ConditionListing(
        deviceID: peer.device.deviceID, deviceName: peer.device.name, isOwn: false, condition: MachineCondition(name),
        accountName: "grt")
    }
    let entry = AuditEntry(
      number: 1, at: Self.now, by: child.name, action: "register.set", target: "", childName: child.name, words: "xyz",
      phrase: RuleText.changes([("limits/daily", "120")]).first, old: "zyx",
      oldPhrase: RuleText.valuePhrase("limits/daily", "90"))
    let points = try Self.points(of: child)
    let pairingPages = pairings.map { pairing in
      (page: PairingPage.page, data: PairingPage.data(pairing, nil, isRefusedHere: false))
    }
    let others: [(page: Page, data: PageData)] = [
      (
        MachinePage.page,
        MachinePage.data(peer, [child], [Sample.account("grt", isOpen: true)], conditions, [], now: Self.now)
      ),
      (
        ActivityPage.page,
        ActivityPage.data(
          AuditPage(entries: [entry]), ActivityPage.Filter(FamilySample.fields([:])), [child], status, now: Self.now)
      ),
      (
        ChildPage.page,
        ChildPage.data(day, monday, monday, report, rules, status.peers, now: Self.now).merging(
          PointsSection.data(points, of: child.childID.description, PageClock(now: Self.now))
        ) { $1 }
      ),
      (TimesPage.page, TimesPage.data(ChildPlan(day, rules, status.peers), now: Self.now)),
      (TodayPage.page, TodayPage.data([(child, day)], requests, status, now: Self.now)),
      (TodayPage.page, TodayPage.data([], [], status, now: Self.now)),
      (ChildPage.page, ChildPage.data(day, monday, monday, report, rules, status.peers, now: Self.now)),
      (ChildPage.page, ChildPage.data(day, monday.advanced(byDays: 7), monday, report, rules, [], now: Self.now)),
      (MachinesPage.page, MachinesPage.data(status, [child], [], now: Self.now)),
      (MachinesPage.page, MachinesPage.data(Self.status([]), [], [], now: Self.now)),
      (MePage.page, MePage.data(day, requests, [child.name], status.peers, now: Self.now)),
      (MePage.page, MePage.data(unnamed, [child.name], now: Self.now)),
      (PhonesPage.page, PhonesPage.data([Self.phone], Self.desk, Self.now)),
      (PhonesPage.page, PhonesPage.data([], PhoneDesk.Shown(isOpen: true, comparison: "7F3K"), Self.now)),
      (PairPage.page, PairPage.data([child], pairings)),
      (MachinePage.page, MachinePage.data(status.peers[0], [child], [], [], try Self.failed(), now: Self.now)),
      (PairingPage.page, PairingPage.unknown),
    ]
    data = pairingPages + others
  }

  /// Commands that the child's machine could not execute.
  private static func failed() throws -> [ConfigurationCommand] {
    let id = try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16)))
    guard case .failed(let late) = PendingEffect.late(EffectWait("the agent", within: 0)) else { return [] }
    let lost = Phrase("{machine} has lost data, so this is sent again.", ["machine": "Bld"])
    return [(CommandPayload.message("x"), late), (.requestReport, ToldSentence(lost))].map { payload, told in
      var command = ConfigurationCommand(
        commandID: id, target: Sample.device, author: Sample.device, payload: payload, createdAt: now, status: .failed,
        statusAt: now - 60_000, reason: told.english)
      command.reasonPhrase = told.phrase
      return command
    }
  }

  /// A pairing in each phase, with each outcome.
  private static func pairings() -> [PairingProgress] {
    func pairing(_ phase: PairingProgress.Phase, _ outcome: PairingOutcome? = nil, _ phrase: Phrase?) -> PairingProgress
    {
      var pairing = PairingProgress(
        pairingID: "00", phase: phase, change: 1, part: .inviter, childName: "Lrk", expiresInMilliseconds: 60_000,
        failuresLeft: 1, peerName: DeviceName(sanitising: "Bld"), digits: "123456", outcome: outcome)
      (pairing.phrase, pairing.sentence) = (phrase, phrase?.worded())
      return pairing
    }
    let ended = PairingOutcome.allCases.map { pairing(.ended, $0, $0.inviterSentence) }
    return ended + PairingOutcome.allCases.map { pairing(.waiting, nil, $0.goneSentence) }
      + [pairing(.asking, nil, nil), pairing(.committing, nil, nil)]
  }

  private static func points(of child: ChildListing) throws -> PointsListing {
    let entry = PointsEntry(
      source: try #require(RecordID(bytes: [UInt8](repeating: 2, count: 16))), short: "0202", kind: "earned",
      milliPoints: 2_000, day: .first, at: now, deviceName: child.name, words: "xyz",
      phrase: Phrase("earned by learning"), note: "")
    return PointsListing(
      childName: child.name, balance: 12_345, here: 0, earnedToday: 0, redeemedMilliseconds: 0, parts: [],
      held: [entry], entries: [entry])
  }

  private static let child = ChildListing(
    childID: ChildID(milliseconds: 1, random: [UInt8](repeating: 7, count: 10)), name: DeviceName(sanitising: "Lrk"),
    machines: [DeviceName(sanitising: "Bld")], untold: [DeviceName(sanitising: "Bld")])

  private static func day(_ child: ChildListing) throws -> ChildToday {
    var rules = RuleSet()
    rules.dailyLimit = DayLimits(everyDay: 120)
    let words = ReasonText.words(.dailyLimit, rules, of: .unknown, on: .first, name: "", carried: 600_000)
    let apps = try [
      (
        "x.y",
        VerdictToday(
          isAllowed: false, rule: "blocked",
          reason: ReasonText.words(.blocked, rules, of: .unknown, on: .first, name: "Chss"))
      ),
      ("x.z", VerdictToday(isAllowed: false, reason: ReasonText.closed(.dailyLimit, words), until: now + 400_000_000)),
      ("x.w", VerdictToday(isAllowed: true, reason: words, until: now + 60_000, leftMilliseconds: 60_000)),
    ].map { id, verdict in
      AppToday(
        appID: try #require(AppID(id)), displayName: "Chss", category: .learning, usedMilliseconds: 1, verdict: verdict,
        isLeftOpen: !verdict.isAllowed)
    }
    return ChildToday(
      childID: child.childID, name: child.name, day: "2026-11-29", zone: "Europe/Berlin", at: now,
      usedMilliseconds: 4_320_000, weekMilliseconds: 0, limitMilliseconds: 7_200_000, categories: [], apps: apps,
      running: [
        RunningNow(
          recordID: try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16))), childName: nil,
          deviceID: Sample.device, deviceName: DeviceName(sanitising: "Bld"), appID: apps[2].appID, displayName: "Chss",
          category: .learning, since: now - 60_000, activeMilliseconds: 1, isStale: false)
      ],
      screen: VerdictToday(
        isAllowed: true, rule: "dailyLimit", reason: words, until: now + 2_880_000, leftMilliseconds: 2_880_000),
      notices: [ReasonText.closed(.bedtime, Phrase("bedtime"), of: "Lrk")], enforcement: .enforced, milliPoints: 12_500,
      redeemedMilliseconds: 600_000)
  }

  private static func requests(of child: ChildListing) throws -> [RequestListing] {
    let id = try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16)))
    let answer = RequestListing.Answer(isApproved: true, minutes: 20, word: "xx", by: child.name, at: 0)
    return [
      RequestListing(
        requestID: id, short: "xy", childName: child.name, deviceName: child.name, minutes: 30, appID: nil,
        category: .reward, reason: "xx", askedAt: now - 90_000_000, day: .first, state: .open),
      RequestListing(
        requestID: id, short: "xy", childName: child.name, deviceName: child.name, minutes: nil, appID: nil,
        category: nil, reason: "", askedAt: 0, day: .first, state: .approved, answer: answer),
    ]
  }

  private static let phone = BrowserListing(
    browserID: "00", label: "Phd", right: .look, madeAt: now, lastSeen: now - 60_000, address: "192.168.1.20")

  /// A desk at which a phone may come.
  private static let desk = PhoneDesk.Shown(isOpen: true, addresses: ["192.168.1.5"], comparison: "7F3K")

  private static func status(_ peers: [PeerStatus]) -> NodeStatus {
    NodeStatus(
      deviceID: Sample.device, name: DeviceName(sanitising: "Kch"), role: .parent, version: "0.1.0",
      processID: 1, listening: ["192.168.1.5:4000"], discovery: "mbd", sync: .idle, peers: peers, messages: [],
      warnings: [], residentBytes: 1)
  }

  private static func peer(_ name: String, isConnected: Bool) -> PeerStatus {
    PeerStatus(
      device: RegisteredDevice(
        deviceID: Sample.device, name: DeviceName(sanitising: name), role: .child, identityKey: "", linkKey: "",
        pairedAt: now - 900_000_000, lastSeenAt: now - 1_000_000),
      isConnected: isConnected, address: nil, sync: .synced(at: now), queues: [], lastError: nil)
  }
}
