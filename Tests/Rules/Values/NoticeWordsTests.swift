import LatchkeyModel
import LatchkeyRules
import Testing

/// What people read of the choice of what parents are told: Protocol/11-rules.md §1.
@Suite struct NoticeWordsTests {
  @Test("Notices are on or off, and are stored as yes or no")
  func words() throws {
    let key = try #require(NoticeRule.limits.key.registerKey)
    #expect(RuleText.phrase(key, "no") == "notices of limits that are used up are off")
    #expect(RuleText.value(key, "yes") == "on" && NoticeRule.limits.text(false) == "no")
    let enabled: RegisterKey = "app/kart/enabled"
    #expect(RuleText.value(enabled, "yes") == "yes")
  }
}
