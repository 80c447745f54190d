import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyRules

@Suite struct RuleTests {
  private static let app = AppID("org.gnome.Chess")
  private static let day = FamilyDay("2026-11-22")
  private static let id = CommandID("0190a3d2-0000-7000-8000-000000000001")

  /// The key as text; the typed value; the stored value.
  @Test(arguments: [
    ("app/org.gnome.Chess/name", "Chess", "Chess"),
    ("app/org.gnome.Chess/category", "reward", "reward"),
    ("app/org.gnome.Chess/category", "Learning", "learning"),
    ("app/org.gnome.Chess/rate", "2000", "2000"),
    ("app/org.gnome.Chess/enabled", "no", "no"),
    ("app/org.gnome.Chess/blocked", "yes", "yes"),
    ("app/org.gnome.Chess/allowed", "yes", "yes"),
    ("app/org.gnome.Chess/limit", "90", "90"),
    ("app/org.gnome.Chess/limit", "0", "0"),
    ("app/org.gnome.Chess/limit", "1440", "1440"),
    ("app/org.gnome.Chess/limit", "None", "none"),
    ("app/org.gnome.Chess/limit/sat", "120", "120"),
    ("app/org.gnome.Chess/limit", "60  Within 9:00-20:00", "60 within 09:00-20:00"),
    ("group/Blocks/limit/sat", "30 within 22:00-02:00", "30 within 22:00-02:00"),
    ("app/a/limit", "240 within 22:00-02:00", "240 within 22:00-02:00"),
    ("app/mon/limit/mon", "none", "none"),
    ("category/reward/limit/sun", "0", "0"),
    ("limits/daily/wed", "60", "60"),
    ("app/org.gnome.Chess/matchers", "path /usr/games/a b\nsha256 00", "path /usr/games/a b\nsha256 00"),
    ("app/a%2Fb%25/blocked", "yes", "yes"),
    ("category/reward/limit", "60", "60"),
    ("category/learning/rate", "500", "500"),
    ("category/neutral/weekly", "10080", "10080"),
    ("limits/daily", "120", "120"),
    ("limits/weekly", "600", "600"),
    ("schedule/bedtime", "20:00-07:00", "20:00-07:00"),
    (
      "schedule/bedtime", "sun-thu 20:00-7:00, fri-sat 21:00-8:00",
      "mon-thu 20:00-07:00, fri-sat 21:00-08:00, sun 20:00-07:00"
    ),
    ("schedule/school", "mon-fri 13:00-14:00, mon-fri 8:00-12:00", "mon-fri 08:00-12:00, mon-fri 13:00-14:00"),
    ("schedule/rewardTimes", "sat 00:00-24:00, sun 22:00-00:00", "sat 00:00-24:00, sun 22:00-24:00"),
    ("today/2026-11-22/bedtime", "22:00-07:00", "22:00-07:00"),
    ("today/2026-11-22/school", "none", "none"),
    ("today/2026-11-22/rewardTimes", "15:00-16:00, 10:00-11:00", "10:00-11:00, 15:00-16:00"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "30", "30"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "30 reward", "30 reward"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "5 app:a/b", "5 app:a/b"),
    ("today/2026-11-22/less/0190a3d2-0000-7000-8000-000000000001", "30 reward\nno more", "30 reward\nno more"),
    ("today/2026-11-22/limit", "90", "90"), ("days/2026-11-22..2026-11-30/school", "none", "none"),
    ("group/Blocks/members", "b\na\nb\n", "a\nb"), ("group/a%2Fb/weekly", "60", "60"),
    ("limits/carryOver", "60", "60"), ("limits/breaks", "45  10", "45 10"), ("programs", "listed", "listed"),
    ("lock", "on", "on"), ("lock", "off", "off"), ("lock", "on now", "on now"),
    ("lock", "until 2026-11-22T18:30Z now", "until 2026-11-22T18:30Z now"),
    ("app/org.gnome.Chess/blocked", "now", "now"), ("group/Blocks/blocked", "now", "now"),
    ("lock", "until 2026-11-22T18:30Z", "until 2026-11-22T18:30Z"),
    ("mode", "limits", "limits"), ("mode", "points", "points"),
    ("unknownPrograms", "block", "block"),
    ("sessions", "close", "close"), ("app/org.gnome.Chess/step", "pause", "pause"),
    ("points/use", "redeemFirst", "redeemFirst"),
    ("points/minutesPerPoint", "3", "3"),
    ("points/dailyCap", "60000", "60000"),
    ("points/weeklyCap", "0", "0"),
    ("points/minimumSession", "5", "5"),
    ("points/redemptionDays", "1", "1"),
    ("family/zone", "Europe/Berlin", "Europe/Berlin"),
    ("family/dayStart", "4", "4"),
    ("name", "Emma", "Emma"), ("removed", "yes", "yes"),
  ])
  func aRuleIsReadAndHasOneForm(key: String, typed: String, stored: String) throws {
    let key = try HouseholdSamples.key(key)
    let rule = try Rule(key, typed: typed)
    #expect(rule.text == stored)
    #expect(try Rule(key, stored: stored) == rule)
    if typed != stored { #expect(throws: RuleFault.self) { try Rule(key, stored: typed) } }
  }

  @Test(arguments: [
    ("app/a/limit", "1441", "longer than the day"),
    ("app/a/limit", "", "is no limit"),
    ("app/a/limit", "-5", "is no limit"),
    ("app/a/limit", "09", "is no limit"),
    ("app/a/limit", "mon 5", "is no limit"),
    ("app/a/limit", "60 within", "The hours are missing after within"),
    ("app/a/limit", "60 within 16:00-16:00", "is empty"),
    ("app/a/limit", "60 within 16:00", "An end is missing after 16:00: write both, such as 16:00-18:00."),
    ("app/a/limit", "within 16:00-20:00", "is no limit"), ("app/a/limit", "none within 16:00-20:00", "has no hours"),
    ("group/a/limit", "1441 within 16:00-20:00", "longer than the day"),
    (
      "group/a/limit", "300 within 16:00-20:00",
      "5 h is longer than 16:00 to 20:00, so it limits nothing: give less, or only the hours with --hours 16:00-20:00."
    ), ("app/a/limit/sat", "241 within 22:00-02:00", "4 h 1 min is longer than 22:00 to 02:00"),
    ("group/a/limit", "60 within mon 16:00-20:00", "is no time of the day"),
    ("limits/daily", "60 within 16:00-20:00", "Only a limit on an application or a group has hours"),
    ("category/reward/limit", "60 within 16:00-20:00", "Only a limit on an application or a group has hours"),
    ("limits/daily/mon", "1441", "or none"),
    ("schedule/school", "moonday 08:00-09:00", "is no weekday"),
    ("schedule/school", "mon fri 08:00-09:00", "\"mon fri\" is no weekday"),
    ("schedule/school", "weekends 08:00-09:00", "or sat-sun for weekends"),
    ("schedule/school", " ", "Nothing is written there"),
    ("schedule/school", "16:00-18:00 Mon-Fri", "The weekdays come first: write mon-fri 16:00-18:00."),
    ("schedule/school", "mon, tue 16:00-18:00", "\"mon\" has no value: write it with each weekday"),
    ("schedule/school", "mon-fri 16:00-18:00 sat 10:00-11:00", "A comma is missing after 16:00-18:00"),
    ("schedule/school", "mon-fri 16:00-18:00 sat 10:00-11:00, sun", "A comma is missing after 16:00-18:00"),
    ("schedule/school", "16:00-18:00 20:00-21:00", "A comma is missing after 16:00-18:00"),
    ("app/a/limit", "99999999999999999999", "is no limit"),
    ("app/a/category", "fun", "learning, reward or neutral"),
    ("app/a/category", "reward 2000", "learning, reward or neutral"),
    ("app/a/rate", "1000000001", "0 to 1,000,000,000 milli-points"),
    ("app/a/blocked", "true", "yes, now or no"),
    ("app/a/name", "", "1 to 255 bytes"),
    ("app/a/matchers", "", "one of the kinds"),
    ("app/a/matchers", "smell roses", "one of the kinds"),
    ("category/reward/weekly", "10081", "10,080"),
    ("limits/weekly", "1.5", "whole number"),
    ("schedule/bedtime", "20:00", "An end is missing after 20:00: write both, such as 20:00-07:00."),
    ("schedule/bedtime", "sat 9:30", "An end is missing after 09:30: write both, such as 09:30-11:30."),
    ("schedule/bedtime", "20:00-", "An end is missing after 20:00: write both, such as 20:00-07:00."),
    ("schedule/bedtime", "24:00", "An end is missing after 24:00: write both, such as 00:00-07:00."),
    ("schedule/bedtime", "-07:00", "A start is missing before 07:00: write both, such as 20:00-07:00."),
    ("schedule/bedtime", "20:00-07:00-08:00", "is no time of the day"),
    ("schedule/bedtime", "-", "is no time of the day"), ("schedule/bedtime", "22", "is no time of the day"),
    ("schedule/bedtime", "20:00-20:00", "is empty"),
    ("schedule/bedtime", "25:00-07:00", "is no time of the day"),
    ("schedule/bedtime", "20:60-07:00", "is no time of the day"),
    ("schedule/bedtime", "24:00-07:00", "is no time of the day"),
    ("schedule/bedtime", "20:00-07:00, sat 21:00-08:00", "overlap"),
    ("schedule/bedtime", "mon 20:00-07:00, tue 06:59-08:00", "mon 20:00-07:00 and tue 06:59-08:00 overlap"),
    ("schedule/bedtime", "sun 20:00-07:00, mon 06:00-06:30", "overlap"),
    ("schedule/bedtime", "00:00-24:00", "never ends"),
    ("schedule/bedtime", "00:00-12:00, 12:00-24:00", "never ends"),
    (
      "schedule/school",
      "mon 1:00-1:01, mon 2:00-2:01, mon 3:00-3:01, mon 4:00-4:01, mon 5:00-5:01, mon 6:00-6:01, mon 7:00-7:01, mon 8:00-8:01, mon 9:00-9:01",
      "more than 8"
    ),
    ("today/2026-11-22/bedtime", "00:00-24:00", "never ends"),
    ("today/2026-11-22/bedtime", "mon 20:00-07:00", "no weekdays"),
    ("today/2026-11-22/school", "08:00-12:00, 11:00-13:00", "overlap"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "0", "1 to 1,440"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "1441", "1 to 1,440"),
    ("today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001", "5 fun", "for one application"),
    ("today/2026-11-22/less/0190a3d2-0000-7000-8000-000000000001", "0", "Less time is 1 to 1,440"),
    ("today/2026-11-22/less/0190a3d2-0000-7000-8000-000000000001", "5\n", "a reason"),
    (
      "group/Blocks/members", (100..<200).map { "\($0)" + String(repeating: "x", count: 200) }.joined(separator: "\n"),
      "16,384"
    ),
    ("group/Blocks/members", "", "1 to 256"), ("group/Blocks/members", "a\nlatchkey.other", "many programs"),
    ("limits/carryOver", "1441", "1,440"), ("limits/breaks", "45 1500", "1 to 240 minutes long"),
    ("limits/breaks", "45", "give both"), ("limits/breaks", "0 10", "after 1 to 1,440 minutes"),
    ("programs", "some", "all or listed"),
    ("lock", "until tomorrow", "on, off, or until"), ("lock", "off now", "on, off, or until"),
    ("lock", "until 2026-11-22T18:30Z now now", "on, off, or until"), ("app/a/blocked", "later", "yes, now or no"),
    ("lock", "until 2026-02-30T00:00Z", "on, off, or until"),
    ("lock", "until 2026-11-22T24:00Z", "on, off, or until"),
    ("mode", "money", "points or limits"),
    ("unknownPrograms", "allow", "count, reward or block"),
    ("sessions", "end", "leave, lock, lockUnlessAllowed or close"), ("app/a/step", "stop", "close or pause"),
    ("points/minutesPerPoint", "0", "1 to 1,440"),
    ("points/redemptionDays", "367", "1 to 366"),
    ("family/zone", "Europe/Atlantis", "no time zone"),
    ("family/zone", "Europe Berlin", "IANA"),
    ("family/dayStart", "24", "0 to 23"),
    ("name", "", "1 to 64 bytes"),
  ])
  func aWrongRuleIsRefusedInASentence(key: String, text: String, part: String) throws {
    let key = try HouseholdSamples.key(key)
    let fault = #expect(throws: RuleFault.self) { _ = try Rule(key, typed: text) }
    let sentence = try #require(fault?.sentence)
    #expect(sentence.contains(part), "\(sentence)")
    #expect(sentence.hasSuffix("."))
  }

  @Test(arguments: [
    "app/a", "app/a/later", "app//limit", "category/fun/limit", "limits/hourly", "limits/daily/monday",
    "limits/weekly/mon", "app/a/blocked/mon", "app/sat", "mon", "limits/daily/mon/mon", "lock/on", "today/22/bedtime",
    "days/2026-11-22/bedtime",
    "days/2026-11-22..2026-11-22/bedtime", "days/2026-11-23..2026-11-22/bedtime", "days/2026-11-22..2027-11-23/bedtime",
    "today/2026-11-22..2026-11-23/bedtime", "days/2026-11-22..2026-11-23/grant/0190a3d2-0000-7000-8000-000000000001",
    "group/Blocks/matchers", "group/Blocks/members/mon",
    "today/2026-11-22/later", "today/2026-11-22/grant/5", "app/a%2/limit/x", "family", "points/later", "schedule/lunch",
    "today/2026-11-22/grant/0190A3D2000070008000000000000001",
  ])
  func aLaterVersionsKeyIsUnknown(text: String) {
    #expect(RegisterKey(text).flatMap { RuleKey($0) } == nil)
  }

  @Test func everyKeyLeadsBackToItsRule() throws {
    var random = SeededRandom()
    let day = try #require(Self.day)
    let id = try #require(Self.id)
    var keys = RuleSet.rows.map { RuleKey(.child($0)) }
    for category in AppCategory.allCases { keys += RuleSet.Category.rows.map { RuleKey(.category(category, $0)) } }
    let holidays = try #require(DayRange("2026-12-23..2027-01-06"))
    for days in [DayRange(day), holidays] { keys += RuleSet.Exceptions.rows.map { RuleKey(.days(days, $0)) } }
    keys += [DayRule.grant.key(on: day, by: id), DayRule.deduction.key(on: day, by: id)]
    for day in Weekday.allCases {
      keys += [ChildRule.dailyLimit.key.on(day), CategoryRule.limit.key(of: .reward).on(day)]
      keys.append(AppRule.limit.key(of: Samples.appID(&random)).on(day))
    }
    for _ in 0..<200 { keys.append(RuleKey(.group(Samples.appID(&random), random.pick(RuleSet.Group.rows)))) }
    for _ in 0..<200 { keys.append(RuleKey(.app(Samples.appID(&random), random.pick(RuleSet.App.rows)))) }
    for text in ["a/b", "%", "%2F", "%25", "a%2Fb/c", "/", "\u{301}/\u{301}%"] {
      keys.append(AppRule.limit.key(of: try #require(AppID(text))))
    }
    for key in keys {
      let text = try #require(key.registerKey, "\(random.note)")
      #expect(RuleKey(text) == key, "\(key) \(random.note)")
    }
    let slashes = try #require(AppID(String(repeating: "/", count: 255)))
    #expect(AppRule.limit.key(of: slashes).registerKey == nil)
    #expect(throws: RuleFault.self) { try Rule(AppRule.limit.key(of: slashes), typed: "5") }
  }

  @Test func anyTextIsReadWithoutATrap() throws {
    var random = SeededRandom()
    let day = try #require(Self.day)
    let id = try #require(Self.id)
    let app = try #require(Self.app)
    let keys = [
      ChildRule.lock.key, PointsRule.mode.key, AppRule.matchers.key(of: app), AppRule.limit.key(of: app),
      AppRule.category.key(of: app), AppRule.rate.key(of: app), ChildRule.dailyLimit.key.on(.monday),
      ChildRule.bedtime.key, DayRule.bedtime.key(on: DayRange(day)), DayRule.grant.key(on: day, by: id),
      ChildRule.zone.key, PointsRule.dailyCap.key, ChildRule.name.key, DayRule.deduction.key(on: day, by: id),
      GroupRule.members.key(of: app),
    ]
    let pieces = [
      "mon", "-", "fri", " ", ",", "20:00", "07:00", "9", "0", ":", "until ", "\n", "path x", "\u{0}", "ä", "none",
      "30 app:",
    ]
    for _ in 0..<20_000 {
      let text = (0..<random.below(9)).map { _ in random.pick(pieces) }.joined()
      let key = random.pick(keys)
      guard let rule = try? Rule(key, typed: text) else { continue }
      #expect(try Rule(key, stored: rule.text) == rule, "\(key) \(text.debugDescription) \(random.note)")
    }
  }

  @Test func aLockUntilAMomentIsAWholeMinute() throws {
    #expect(Lock(until: 1_000) == .until(60_000))
    for instant in [Int64.min, -1, 0, 1_795_372_199_000, Lock.latest, .max] {
      let lock = Lock(until: instant)
      #expect(try Lock(typed: lock.text) == lock)
    }
  }
}
