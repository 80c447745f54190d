import LatchkeyModel
import LatchkeySystem
import Testing

@testable import LatchkeyNode

/// Tests that compare a caller's statement about a program with the kernel's.
@Suite struct UsageStartCheckTests {
  private let now = BootInstant(milliseconds: 3_600_000)
  private let wall: Int64 = 1_795_266_000_000
  private let begun = BootInstant(milliseconds: 3_590_000)

  private func process(
    pid: Int32 = 4_242, startTime: UInt64 = 359_000, user: UInt32 = 1_000, hasEnded: Bool = false
  ) -> RunningProcess {
    RunningProcess(
      identity: ProcessIdentity(processID: pid, startTime: startTime), userID: user, startedAt: begun,
      hasEnded: hasEnded)
  }

  private func check(
    _ process: RunningProcess?, startTime: UInt64 = 359_000, at start: Int64 = 3_595_000, wall started: Int64? = nil
  ) -> LocalAPIError? {
    let request = UsageStartRequest(
      appID: "a.b", processID: 4_242, processStartTime: startTime, startedAt: BootInstant(milliseconds: start),
      startedAtWall: started ?? wall - 5_000, zone: "UTC")
    return UsageStartCheck(request: request, user: 1_000, process: process, now: now, wall: wall).fault
  }

  @Test func aProgramOfTheCallersThatRunsIsTaken() {
    #expect(check(process()) == nil)
    // It has ended and waits to be reaped: it was there.
    #expect(check(process(hasEnded: true)) == nil)
    // From its very start, and a reading that was rounded up.
    #expect(check(process(), at: begun.milliseconds) == nil)
    #expect(check(process(), at: now.milliseconds + 10) == nil)
    #expect(check(process(), wall: wall - 5_000 + 60_000) == nil)
  }

  @Test func whatDoesNotRunIsRefused() {
    #expect(check(nil)?.code == .invalid)
    #expect(check(process(), startTime: 359_001)?.code == .invalid)
    for pid: Int32 in [1, 0, -1, .min] { #expect(check(process(pid: pid))?.code == .invalid) }
  }

  @Test(arguments: [0, 1_001, .max] as [UInt32]) func anotherUsersProgramIsRefused(user: UInt32) {
    #expect(check(process(user: user))?.code == .forbidden)
  }

  @Test(arguments: [.min, -1, 0, 3_589_999, 3_600_011, .max] as [Int64])
  func aStartBeforeTheProgramOrInTheFutureIsRefused(start: Int64) {
    #expect(check(process(), at: start)?.code == .invalid)
  }

  @Test(arguments: [.min, -1, 0, 1_795_265_934_999, 1_795_266_055_001, 1_826_802_000_000, .max] as [Int64])
  func aTimeOfAnotherDayIsRefused(started: Int64) {
    #expect(check(process(), wall: started)?.code == .invalid)
  }
}
