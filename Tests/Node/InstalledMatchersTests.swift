import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// What an account's own menu recognizes: Protocol/10-household.md §5.
@Suite struct InstalledMatchersTests {
  @Test("What an account says of its own blocks a program, makes it a reward or limits it, and opens nothing")
  func own() throws {
    let (path, kart) = (AppMatcher(kind: .path, value: "/home/emma/kart"), try #require(AppID("kart")))
    func used(isOwn: Bool = true, _ change: (inout RuleSet, inout RuleSet.App) throws -> Void) rethrows -> [AppMatcher]
    {
      var (rules, app) = (RuleSet(), RuleSet.App())
      try change(&rules, &app)
      rules.apps[kart] = app
      return InstalledMatchers([path], isOwn: isOwn).used(for: kart, in: rules)
    }
    #expect(used { $1.isBlocked = true } == [path])
    #expect(used { $1.category = .reward } == [path])
    #expect(used { _, _ in } == [])
    #expect(used { $1.category = .learning } == [])
    #expect(used { ($1.category, $1.isAlwaysAllowed) = (.reward, true) } == [], "It would outlive a lock.")
    #expect(used { ($1.category, $0.unknownPrograms) = (.reward, .block) } == [], "It is closed already.")
    #expect(used { ($1.category, $0.unknownPrograms) = (.reward, .reward) } == [path])
    #expect(used { ($1.isBlocked, $0.unknownPrograms) = (true, .block) } == [path])
    let hour = try DayLimits("60")
    #expect(used { $1.limit = hour } == [path])
    #expect(used { ($1.category, $1.limit) = (.neutral, hour) } == [path])
    #expect(try used { $1.hours = try WeekWindows(typed: "15:00-18:00") } == [path])
    #expect(used { ($1.category, $1.limit) = (.learning, hour) } == [], "It would be open in school time.")
    #expect(used { ($1.limit, $1.isAlwaysAllowed) = (hour, true) } == [])
    #expect(used { ($1.limit, $1.isEnabled) = (hour, false) } == [])
    for treatment in [UnknownPrograms.block, .reward] {
      #expect(used { ($1.limit, $0.unknownPrograms) = (hour, treatment) } == [], "An unknown program is worse off.")
    }
    #expect(used { ($1.limit, $1.category, $0.programs) = (hour, .neutral, .listed) } == [])
    func inGroup(_ change: (inout RuleSet.Group) -> Void) -> [AppMatcher] {
      used { rules, _ in
        var group = RuleSet.Group()
        group.members = [kart]
        change(&group)
        rules.groups[kart] = group
      }
    }
    #expect(inGroup { $0.limit = hour } == [path] && inGroup { $0.weekly = 60 } == [path])
    #expect(inGroup { _ in } == [])
    #expect(used(isOwn: false) { _, _ in } == [path], "The machine's menu says what it is.")
  }
}
