import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// What an account's own menu recognizes: Protocol/10-household.md §5.
@Suite struct InstalledMatchersTests {
  @Test("What an account says of its own blocks a program or makes it a reward, and opens nothing")
  func own() throws {
    let (path, kart) = (AppMatcher(kind: .path, value: "/home/emma/kart"), try #require(AppID("kart")))
    func used(isOwn: Bool = true, _ change: (inout RuleSet, inout RuleSet.App) -> Void) -> [AppMatcher] {
      var (rules, app) = (RuleSet(), RuleSet.App())
      change(&rules, &app)
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
    #expect(used(isOwn: false) { _, _ in } == [path], "The machine's menu says what it is.")
  }
}
