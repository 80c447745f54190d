import ArgumentParser
import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands

/// The smaller values that options take.
@Suite struct ArgumentValueTests {
  @Test func anAddressIsReadAsAnEndpoint() {
    #expect(SocketEndpoint(argument: "[fe80::1%eth0]:80")?.description == "[fe80::1%eth0]:80")
    #expect(SocketEndpoint(argument: "emma.local") == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("45", 45), ("1440", 1_440), ("None", nil), ("45min", 45), ("45 min", 45), ("1h", 60), ("1h30m", 90),
      ("1 h 30 min", 90), ("1hour 5 minutes", 65), ("24h", 1_440), ("1d", 1_440), ("60s", 1), ("0h", 0),
    ] as [(String, Int?)])
  func aDailyLimitIsATimeOrNone(text: String, minutes: Int?) throws {
    #expect(try ChildRule.dailyLimit.argument(text)?.minutes == minutes)
  }

  @Test(arguments: [
    "", "-1", "1441", "1.5", "ten", "nil", "25h", "90s", "h", "1h30", "30m1h", "1h1h", "1 fortnight", "１h", "1h-5m",
    "99999999999999999999h", "9223372036854775807d",
  ])
  func whatIsNoDailyLimitIsRefused(text: String) {
    #expect(throws: ValidationError.self) { try ChildRule.dailyLimit.argument(text) }
  }

  @Test func aWeeklyLimitIsLonger() throws {
    #expect(try ChildRule.weeklyLimit.argument("7h30m") == 450)
    #expect(try ChildRule.weeklyLimit.argument("7d") == 10_080)
    #expect(throws: ValidationError.self) { try ChildRule.weeklyLimit.argument("10081") }
  }

  @Test func aWaitingTimeIsSecondsUnlessItSaysOtherwise() {
    #expect(WaitingTime(argument: "5")?.seconds == 5)
    #expect(WaitingTime(argument: "2min")?.seconds == 120)
    #expect(WaitingTime(argument: "1d")?.seconds == 86_400)
    for text in ["0", "2d", "soon", "", "1ms"] { #expect(WaitingTime(argument: text) == nil) }
  }

  @Test func aLifetimeHasAUnit() throws {
    #expect(try Lifetime.read("90s").milliseconds == 90_000)
    #expect(try Lifetime.read("1h30m").milliseconds == 5_400_000)
    #expect(try Lifetime.read("Never").milliseconds == 0)
    for text in ["60", "0s", "367d", "", "ever"] {
      #expect(throws: ValidationError.self) { try Lifetime.read(text) }
    }
  }

  @Test func interfacesAreAListOfNames() {
    #expect(InterfaceNames(argument: "lo,enp0s3,wlan0.5")?.names == ["lo", "enp0s3", "wlan0.5"])
    for text in ["", ",", "lo,", "a b", "a/b", "abcdefghijklmnop"] { #expect(InterfaceNames(argument: text) == nil) }
  }
}
