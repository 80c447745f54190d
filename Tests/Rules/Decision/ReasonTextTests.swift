import LatchkeyModel
import LatchkeyRules
import Testing

/// Tests of the words that say why something is open or closed.
@Suite struct ReasonTextTests {
  private let kart: AppID
  private let day: FamilyDay
  private var rules = RuleSet()

  init() throws {
    kart = try #require(AppID("kart"))
    day = try #require(FamilyDay("2026-11-21"))
    var app = RuleSet.App()
    app.category = .reward
    app.limit = DayLimits(everyDay: 30)
    rules.apps[kart] = app
    var daily = DayLimits(everyDay: 90)
    for day in [Weekday.saturday, .sunday] { daily[day] = DayLimit(120) }
    rules.dailyLimit = daily
    rules.weeklyLimit = 840
    var reward = RuleSet.Category()
    (reward.limit, reward.weekly) = (DayLimits(everyDay: 60), 300)
    rules.categories[.reward] = reward
  }

  private func words(_ reason: Reason, carried: Int64 = 0) -> String { phrase(reason, carried: carried).worded() }

  private func phrase(_ reason: Reason, carried: Int64 = 0) -> Phrase {
    ReasonText.words(reason, rules, of: .app(kart), on: day, name: "Kart", carried: carried)
  }

  private func closed(_ reason: Reason, carried: Int64 = 0) -> String {
    ReasonText.closed(reason, phrase(reason, carried: carried)).worded()
  }

  @Test func everyRuleHasWords() {
    let expected: [(Reason, String, String)] = [
      (.blocked, "Kart is blocked", "Kart is blocked"),
      (.unknownProgram, "unknown programs are blocked", "unknown programs are blocked"),
      (.lock, "locked by a parent", "locked by a parent"), (.bedtime, "bedtime", "bedtime"),
      (.school, "school time", "school time"), (.rewardTimes, "reward times", "outside of reward times"),
      (.appHours, "the hours of Kart", "outside of the hours of Kart"),
      (.appLimit, "30 min of Kart a day", "30 min of Kart a day are used"),
      (.categoryLimit(.reward), "1 h of rewards a day", "1 h of rewards a day are used"),
      (.dailyLimit, "2 h of screen time a day", "2 h of screen time a day are used"),
      (.categoryWeekly(.reward), "5 h of rewards a week", "5 h of rewards a week are used"),
      (.weeklyLimit, "14 h of screen time a week", "14 h of screen time a week are used"),
      (.points, "points", "no points are left"),
      (.redeemedTime, "redeemed minutes", "no redeemed minutes are left"),
    ]
    for (reason, open, closed) in expected {
      #expect(words(reason) == open)
      #expect(self.closed(reason) == closed)
    }
  }

  @Test mutating func theDaysOfALimitAreSaid() throws {
    let days = try #require(DayRange(day, through: day.advanced(byDays: 2)))
    rules = try HouseholdSamples.rules([("days/\(days)/name", "Advent"), ("days/\(days)/limit", "180")])
    #expect(words(.dailyLimit) == "3 h of screen time on \(days) (Advent)")
    rules = try HouseholdSamples.rules([("days/\(days)/limit", "180"), ("today/\(day)/limit", "0")])
    #expect(closed(.dailyLimit) == "no screen time on \(day)")
    let today = ReasonText.words(.dailyLimit, rules, of: .app(kart), on: day, name: "Kart", isToday: true)
    #expect(today.worded() == "0 min of screen time today")
  }

  @Test mutating func hoursOfALimitAreSaid() throws {
    rules.apps[kart]?.limit = try DayLimits("mon-fri 30, sat-sun 60 within 16:00-20:00")
    #expect(rules.apps[kart]?.limit?.words == "mon-fri 30 min, sat-sun 1 h between 16:00 and 20:00")
    #expect(words(.appLimit) == "1 h of Kart between 16:00 and 20:00")
    #expect(closed(.appLimit) == "1 h of Kart between 16:00 and 20:00 are used")
    rules.apps[kart]?.limit = try DayLimits("0 within 16:00-20:00")
    #expect(closed(.appLimit) == "no Kart between 16:00 and 20:00")
  }

  @Test mutating func whatWasGrantedIsSaid() throws {
    let ids = (0..<5).map { CommandID(milliseconds: $0, random: [UInt8](repeating: UInt8($0), count: 10)) }
    rules.grants[day] = [
      ids[0]: Grant(minutes: 20, scope: .all), ids[1]: Grant(minutes: 10, scope: .category(.reward)),
      ids[2]: Grant(minutes: 5, scope: .app(kart)), ids[3]: Grant(minutes: 90, scope: .category(.learning)),
    ]
    #expect(words(.dailyLimit) == "2 h plus 35 min of screen time a day")
    #expect(words(.weeklyLimit) == "14 h plus 35 min of screen time a week")
    #expect(ReasonText.granted(rules, to: .unknown, on: day) == 1_200_000)
    #expect(ReasonText.granted(rules, to: .app(kart), on: day.advanced(byDays: 1)) == 0)
    rules.deductions[day] = [ids[4]: Deduction(Grant(minutes: 50, scope: .all), reason: "rude at dinner")]
    #expect(words(.dailyLimit) == "2 h less 15 min of screen time a day")
    #expect(
      words(.dailyLimit, carried: HouseholdSamples.hour)
        == "2 h less 15 min of screen time a day and 1 h from earlier days")
    rules.deductions[day] = [ids[4]: Deduction(Grant(minutes: 180, scope: .all), reason: "")]
    #expect(closed(.dailyLimit) == "no screen time today, because the whole 2 h was taken away")
  }

  @Test mutating func whatEarlierDaysLeftIsSaid() {
    let minute = HouseholdSamples.minute
    let more = words(.dailyLimit, carried: 90 * minute)
    #expect(more == "2 h of screen time a day and 1 h 30 min from earlier days")
    #expect(closed(.dailyLimit, carried: 90 * minute) == "\(more) are used")
    #expect(words(.dailyLimit, carried: minute - 1) == "2 h of screen time a day")
    rules.dailyLimit = DayLimits(everyDay: 0)
    #expect(words(.dailyLimit, carried: 5 * minute) == "5 min of screen time from earlier days")
  }

  @Test("A rule is listed as a phrase with a name and a value, in any language")
  func listed() throws {
    let german = try #require(Language.named("de"))
    for (key, value, english, words) in [
      ("limits/daily", "120", "screen time a day: 2 h", "Bildschirmzeit am Tag: 2 Std"),
      (
        "limits/daily/sat", "120", "screen time on Saturdays: 2 h", "Bildschirmzeit am Samstag: 2 Std"
      ),
      (
        "schedule/bedtime", "mon-fri 20:00-07:00, sat 21:00-07:00",
        "bedtime: Mon–Fri 20:00-07:00 and Sat 21:00-07:00", "Schlafenszeit: Mo–Fr 20:00-07:00 und Sa 21:00-07:00"
      ),
      (
        "sessions", "lock", "sessions when time is up: are locked",
        "Sitzungen, wenn die Zeit um ist: werden gesperrt"
      ),
      (
        "app/kart/blocked", "now", "Kart: blocked: yes, without time to save",
        "Kart: gesperrt: ja, ohne Zeit zum Speichern"
      ),
      ("app/kart/rate", "2500", "Kart: points: 2.5 points a minute", "Kart: Punkte: 2,5 Punkte pro Minute"),
    ] as [(RegisterKey, String, String, String)] {
      let phrase = RuleText.listed(key, value, RuleTerms(names: [kart: "Kart"]))
      #expect(phrase.worded() == english && phrase.worded(in: german) == words, "\(phrase.worded(in: german))")
    }
  }
}
