import LatchkeyModel
import LatchkeyRules
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode
@testable import LatchkeyWeb

@Suite("Pages")
struct PageTests {
  private static let hostile = "<b>\"\u{301} onload='x\u{200D}'&amp;</script>\u{202E}"

  private func child(_ name: String, machines: [String] = ["Emma's PC"]) throws -> ChildListing {
    ChildListing(
      childID: ChildID(milliseconds: 1, random: [UInt8](repeating: 7, count: 10)), name: DeviceName(sanitising: name),
      machines: machines.map { DeviceName(sanitising: $0) }, untold: [])
  }

  private func day(_ child: ChildListing, screen: VerdictToday, limit: Int64? = 7_200_000, app: String = "Chess") throws
    -> ChildToday
  {
    ChildToday(
      childID: child.childID, name: child.name, day: "2026-11-29", zone: "Europe/Berlin", at: 1_795_950_000_000,
      usedMilliseconds: 4_320_000, weekMilliseconds: 9_000_000, limitMilliseconds: limit, categories: [],
      apps: [
        AppToday(
          appID: try #require(AppID("org.gnome.Chess")), displayName: app, category: .learning,
          usedMilliseconds: 600_000, verdict: VerdictToday(isAllowed: false, reason: Phrase(verbatim: app)))
      ], running: [], screen: screen, notices: [Phrase(verbatim: app)], enforcement: .enforced, milliPoints: 12_500,
      redeemedMilliseconds: 600_000)
  }

  private func status(_ peers: [PeerStatus] = []) throws -> NodeStatus {
    NodeStatus(
      deviceID: Sample.device, name: DeviceName(sanitising: "Kitchen laptop"), role: .parent, version: "0.1.0",
      processID: 1, listening: ["192.168.1.5:4000"], discovery: "embedded", sync: .idle, peers: peers, messages: [],
      warnings: [], residentBytes: 1)
  }

  private func peer(_ name: String, isConnected: Bool, seen: Int64? = 1_795_949_000_000) -> PeerStatus {
    PeerStatus(
      device: RegisteredDevice(
        deviceID: Sample.device, name: DeviceName(sanitising: name), role: .child, identityKey: "", linkKey: "",
        pairedAt: 1_795_000_000_000, lastSeenAt: seen),
      isConnected: isConnected, address: nil, sync: .idle, queues: [], lastError: nil)
  }

  private func render(_ page: Page, _ data: PageData) -> String {
    page.template.render(
      data.merging(
        ["title": "T", "token": "TOKEN", "key": "KEY", "assets": Assets.all.paths, "hasNavigation": false]
      ) { $1 }, in: .english)
  }

  private let left = VerdictToday(
    isAllowed: true, rule: "dailyLimit", reason: "2 h of screen time a day", until: 1_795_952_880_000,
    leftMilliseconds: 2_880_000)

  @Test("A parent reads what is left, why, and how old it is")
  func today() throws {
    let emma = try child("Emma")
    let fresh = render(
      TodayPage.page,
      TodayPage.data(
        [(emma, try day(emma, screen: left))], [], try status([peer("Emma's PC", isConnected: true)]),
        now: 1_795_950_000_000))
    for part in ["48 min left", "2 h of screen time a day", "1 h 12 min of 2 h used today", "12.5 points", "in touch"] {
      #expect(fresh.contains(part), "\(part)")
    }
    #expect(!fresh.contains("These figures are of") && fresh.contains(#"value="TOKEN""#))
    let away = render(
      TodayPage.page,
      TodayPage.data(
        [(emma, try day(emma, screen: left))], [], try status([peer("Emma's PC", isConnected: false)]),
        now: 1_795_950_000_000))
    #expect(away.contains("These figures are of") && away.contains("16 min ago"))
  }

  @Test("Each form that gives time has the key of its page and its child")
  func keys() throws {
    let emma = try child("Emma")
    let page = render(
      TodayPage.page, TodayPage.data([(emma, try day(emma, screen: left))], [], try status(), now: 1_795_950_000_000))
    #expect(page.contains(#"<input type="hidden" name="key" value="KEY-\#(emma.childID)">"#), "\(page)")
    let key = String(repeating: "0", count: 2 * Form.keyBytes) + "-\(emma.childID)"
    #expect(Caller.isKey(key), "The node takes it.")
  }

  @Test("What was given and taken today is no rule")
  func exceptions() throws {
    let emma = try child("Emma")
    let id = try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16)))
    func listing(_ key: RegisterKey?, _ value: String) throws -> RuleListing {
      let key = try #require(key)
      return RuleListing(
        key: key, value: value, name: RuleText.name(key), words: RuleText.value(key, value), setBy: emma.name,
        setAt: 1_795_949_000_000)
    }
    let today = FamilyDay("2026-11-29") ?? .first
    let rules = [
      try listing("limits/daily", "90"), try listing(DayRule.grant.key(on: today, by: id).registerKey, "30 reward"),
      try listing(DayRule.deduction.key(on: today, by: id).registerKey, "10\nrude at dinner"),
    ]
    let report = UseReport(childID: emma.childID, name: emma.name, period: "day", from: "", to: "", periods: [])
    func page(_ rules: [RuleListing]) throws -> String {
      render(
        ChildPage.page,
        ChildPage.data(
          try day(emma, screen: left), today, today, report, ChildRules(child: emma, rules: rules, family: []), [],
          now: 1_795_950_000_000))
    }
    let shown = try page(rules)
    let parts = shown.split(separator: "<h2>Rules</h2>")
    #expect(parts.count == 2 && parts[0].contains("<h2>Given and taken today</h2>"), "\(shown)")
    #expect(parts[0].contains("More: 30 min for rewards") && parts[0].contains("Less: 10 min (rude at dinner)"))
    #expect(!parts[1].contains("30 min for") && parts[1].contains("1 h 30 min"))
    let alone = try page(Array(rules.dropFirst()))
    #expect(alone.contains("No rules are set"))
    #expect(try !page([rules[0]]).contains("Given and taken"))
  }

  @Test("A command in a sentence is code on a page, and has no backticks")
  func code() throws {
    let template = PageTemplate("<title>{{a}}</title><p title=\"{{a}}\">{{a}}</p><option>{{a}}</option>")
    #expect(
      template.render(["a": "run `latchkey <run>` now"], in: .english)
        == "<title>run &#96;latchkey &lt;run&gt;&#96; now</title><p title=\"run &#96;latchkey &lt;run&gt;&#96; now\">run "
        + "<code>latchkey &lt;run&gt;</code> now</p><option>run &#96;latchkey &lt;run&gt;&#96; now</option>")
    let fault = EntryPages.page(EntryPages.Fault(503, "Start it with `latchkey run`.", back: nil), ["title": "T"])
    guard case .bytes(let bytes) = fault.worded(in: .english).body else { return }
    #expect(String(decoding: bytes, as: UTF8.self).contains("Start it with <code>latchkey run</code>."))
  }

  @Test("A text that a form cannot have is refused by the name that the page gives its field")
  func labels() throws {
    let fields = try #require(
      FormFields(Array("word=\(String(repeating: "a", count: 2_000))&short=yes&turned=%E2%80%AE".utf8)))
    let call = FormCall(node: ClosedNode(), fields: fields, now: 0) { _ in ClosedNode() }
    #expect(try call.line("short", label: "Why") == "yes" && call.line("none", label: "Why").isEmpty)
    func fault(_ name: String) -> String? {
      do throws(PageFault) {
        _ = try call.line(name, label: "Why")
        return nil
      } catch { return error.sentence.worded() }
    }
    #expect(fault("word") == "“Why” is too long: it may have 1024 bytes at most.")
    #expect(fault("turned") == "“Why” has a character that cannot be shown: leave it out.")
  }

  @Test("A locked child is offered to be unlocked, and another one to be locked")
  func lock() throws {
    let emma = try child("Emma")
    func page(_ screen: VerdictToday) throws -> String {
      render(TodayPage.page, TodayPage.data([(emma, try day(emma, screen: screen))], [], try status(), now: 0))
    }
    let locked = try page(VerdictToday(isAllowed: false, rule: Reason.lock.word, reason: "locked by a parent"))
    #expect(locked.contains("Locked") && locked.contains(#"name="lock" value="off""#))
    #expect(!locked.contains(#"name="lock" value="on""#))
    #expect(try page(left).contains(#"name="lock" value="on""#))
  }

  @Test("A child reads the same in a ring and in words, why something is closed, and how to earn")
  func me() throws {
    let emma = try child("Emma")
    let page = render(
      MePage.page,
      MePage.data(
        try day(emma, screen: left), [], [], [peer("Kitchen laptop", isConnected: true)], now: 1_795_950_000_000))
    for part in [
      "48 min left", #"stroke-dasharray="400 1000""#, "Chess: closed: Chess", "You earn points with applications",
      "Your parents see it on Kitchen laptop", "Change 10 min of time", #"<option value="org.gnome.Chess">"#,
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(page.contains(#"<input type="hidden" name="key" value="KEY-ask">"#), "\(page)")
    #expect(!page.contains("Who is there?"))
    var open = try day(emma, screen: left)
    for index in open.apps.indices where !open.apps[index].verdict.isAllowed { open.apps[index].isPartlyOpen = true }
    let running = render(MePage.page, MePage.data(open, [], [], [], now: 1_795_950_000_000))
    #expect(running.contains("Chess: not allowed by the rules: Chess") && !running.contains("Chess: closed"))
    #expect(running.contains(", but it is not closed everywhere"))
    let free = render(
      MePage.page,
      MePage.data(try day(emma, screen: VerdictToday(isAllowed: true), limit: nil), [], [], [], now: 0))
    #expect(free.contains("No limit now") && free.contains(#"stroke-dasharray="1000 1000""#))
  }

  @Test("A week is drawn in bars that add up, and written in a table")
  func week() {
    let monday = FamilyDay("2026-11-23") ?? .first
    let days = (0..<7).map { offset in
      (
        day: monday.advanced(byDays: offset),
        use: [AppCategory.learning: Int64(offset) * 1_800_000, .reward: 3_600_000]
      )
    }
    let data = WeekChart.data(days, label: "Week")
    #expect((data["sum"] as? Phrase)?.worded() == "17 h 30 min")
    #expect((data["sums"] as? [Phrase])?.map { $0.worded() } == ["10 h 30 min", "7 h", "–"])
    let drawn = data["days"] as? [PageData] ?? []
    #expect(drawn.count == 7 && (drawn.first?["name"] as? Phrase)?.worded() == "Mon 23 Nov")
    for day in drawn {
      let bars = day["bars"] as? [PageData] ?? []
      let heights = bars.compactMap { $0["height"] as? Int }
      #expect(heights.allSatisfy { $0 > 0 } && heights.reduce(0, +) <= 150)
      #expect(bars.compactMap { $0["y"] as? Int }.allSatisfy { (8...158).contains($0) })
    }
  }

  @Test("A week without use, and one of more than a day a day, are drawn")
  func extremes() {
    let days = { (use: Int64) in
      (0..<7).map { (day: FamilyDay.first.advanced(byDays: $0), use: [AppCategory.reward: use]) }
    }
    let none = WeekChart.data(days(0), label: "")["days"] as? [PageData]
    #expect(none?.allSatisfy { ($0["bars"] as? [PageData])?.isEmpty == true } == true)
    let most = WeekChart.data(days(.max / 16), label: "")["days"] as? [PageData]
    #expect(most?.allSatisfy { (($0["bars"] as? [PageData])?.first?["height"] as? Int) == 150 } == true)
  }

  @Test("No name or reason brings markup to any page")
  func hostileNames() throws {
    let hostile = Self.hostile
    let emma = try child(hostile, machines: [hostile])
    let today = try day(
      emma,
      screen: VerdictToday(isAllowed: false, rule: "x", reason: Phrase(verbatim: hostile), until: 1_795_950_000_000),
      app: hostile)
    let peers = [peer(hostile, isConnected: false)]
    let request = RequestListing(
      requestID: try #require(CommandID(bytes: [UInt8](repeating: 1, count: 16))), short: "abcd", childName: emma.name,
      deviceName: emma.name, minutes: 30, appID: nil, appName: hostile, category: nil, reason: hostile, askedAt: 0,
      day: .first, state: .open)
    let rule = RuleListing(
      key: "limits/daily", value: hostile, name: hostile, words: hostile, setBy: emma.name,
      setAt: 0, notInForce: hostile)
    let report = UseReport(
      childID: emma.childID, name: emma.name, period: "day", from: "", to: "",
      periods: [
        UseReport.Period(
          start: "2026-11-29", milliseconds: 1, categories: [],
          rows: [
            UseReport.Row(
              appID: try #require(AppID("a.b")), displayName: hostile, category: .reward, milliseconds: 600_000,
              earnedMilliPoints: 0, sessions: 1)
          ])
      ])
    let rules = ChildRules(child: emma, rules: [rule], family: [rule])
    let pages = [
      render(TodayPage.page, TodayPage.data([(emma, today)], [request], try status(peers), now: 0)),
      render(ChildPage.page, ChildPage.data(today, .first, .first, report, rules, peers, now: 0)),
      render(MachinesPage.page, MachinesPage.data(try status(peers), [emma], [], now: 0)),
      render(MePage.page, MePage.data(today, [request], [emma.name], peers, now: 0)),
    ]
    for page in pages {
      #expect(!page.contains("<b>") && page.contains("&lt;b&gt;"))
      let scalars = Array(page.unicodeScalars)
      for index in scalars.indices.dropLast() where scalars[index] == "\"" || scalars[index] == "'" {
        #expect(scalars[index + 1] != "\u{301}" && scalars[index + 1] != "\u{200D}")
      }
    }
  }

  @Test("A template has no tag that is not escaped")
  func templates() {
    for text in [
      "{{{a}}}", "{{& a}}", "{{ > a}}", "{{<a}}", "{{=<% %>=}}", "{{%CONTENT_TYPE:TEXT}}", "{{$a}}", "{{\n&a}}",
    ] {
      #expect(!PageTemplate.isSafe(text), "\(text)")
    }
    #expect(PageTemplate.isSafe("{ {a}} {{a}} {{#a}}{{/a}} {{^a}}{{/a}} {{! a }} { & }"))
  }

  @Test("A path has the form of its page, and IDs alone in it")
  func paths() {
    let path = PagePath("/children/{child}")
    #expect(path.parameters(in: "/children/018f-ab") == ["child": "018f-ab"])
    for other in ["/children", "/children/", "/children/a/b", "/children/a%00", "/children/..", "children/a", "//a"] {
      #expect(path.parameters(in: other) == nil, "\(other)")
    }
    #expect(PagePath("/").parameters(in: "/") == [:] && PagePath("/").parameters(in: "//") == nil)
  }

  @Test("A moment is a time of day near now, and has its day otherwise")
  func moments() {
    let clock = PageClock(zone: "Europe/Berlin", now: 1_795_950_000_000)
    #expect(clock.moment(1_795_950_000_000).worded() == "12:00")
    #expect(clock.moment(1_795_950_000_000 - 5 * 86_400_000).worded().contains(","))
    #expect(clock.moment(.max).worded().contains(",") && clock.moment(.min).worded() == "an unknown time")
    #expect(PageClock.day(FamilyDay("2026-11-29") ?? .first).worded() == "Sun 29 Nov")
  }
}
