import LatchkeyModel
import LatchkeyTestSupport
import Testing

/// Tests of the list of what runs: Protocol/10-household.md §4.
@Suite struct RunningUseTests {
  private func use(_ number: UInt8, _ category: AppCategory, _ app: AppID) throws -> RunningUse {
    RunningUse(
      recordID: try #require(RecordID(bytes: [number] + [UInt8](repeating: 1, count: 15))), account: 1_000, child: nil,
      appID: app, displayName: app.text, category: category, milliPointsPerMinute: 0, since: 1, activeMilliseconds: 1)
  }

  @Test("Of more than a list has, rewards and the time at the machine are kept first, in the order of the IDs")
  func most() throws {
    let kart = try #require(AppID("kart"))
    let plain = try (0..<60).map { try use($0, .neutral, kart) }
    let last = [try use(250, .neutral, .screenTime), try use(251, .reward, kart)]
    let list = RunningUse.list((plain + last).reversed())
    #expect(list.entries == Array(plain.prefix(RunningUse.most - 2)) + last && list.more == 14)
    let rewards = try (0..<60).map { try use($0, .reward, kart) }
    #expect(RunningUse.list(rewards + [last[0]]).entries == Array(rewards.prefix(RunningUse.most)))
    #expect(RunningUse.list(plain.suffix(3) + last).entries == plain.suffix(3) + last)
  }

  @Test("A paused session has one line more, and no other tenth line is read")
  func paused() throws {
    var use = try use(1, .neutral, .unknownPrograms)
    #expect(RunningUse(text: use.text) == use)
    #expect(RunningUse(text: use.text + "\n") == nil && RunningUse(text: use.text + "\nyes") == nil)
    use.isPaused = true
    #expect(use.text.hasSuffix("\npaused") && RunningUse(text: use.text) == use)
  }
}
