import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyNode

/// What an account's own menu recognizes: Protocol/10-household.md §5.
@Suite struct InstalledMatchersTests {
  @Test("What an account says itself blocks a program or makes it a reward, and opens nothing")
  func own() {
    let path = AppMatcher(kind: .path, value: "/home/emma/kart")
    func used(_ change: (inout RuleSet.App) -> Void, isOwn: Bool = true) -> [AppMatcher] {
      var app = RuleSet.App()
      change(&app)
      return InstalledMatchers([path], isOwn: isOwn).matchers(for: app)
    }
    #expect(used { $0.isBlocked = true } == [path])
    #expect(used { $0.use = AppUse(category: .reward) } == [path])
    #expect(used { _ in } == [])
    #expect(used { $0.use = AppUse(category: .learning) } == [])
    #expect(used { ($0.use, $0.isAlwaysAllowed) = (AppUse(category: .reward), true) } == [])
    #expect(used({ _ in }, isOwn: false) == [path], "The machine's menu says what it is.")
  }
}
