import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// The smaller values that options take.
@Suite struct ArgumentValueTests {
  @Test func anAddressIsReadAsAnEndpoint() {
    #expect(SocketEndpoint(argument: "[fe80::1%eth0]:80")?.description == "[fe80::1%eth0]:80")
    #expect(SocketEndpoint(argument: "emma.local") == nil)
  }

  @Test func aDailyLimitIsMinutesOrNone() {
    #expect(DailyLimit(argument: "0")?.requested == 0)
    #expect(DailyLimit(argument: "1440")?.requested == 1_440)
    #expect(DailyLimit(argument: "None")?.requested == -1)
    for text in ["", "-1", "1441", "1.5", "ten", "nil"] { #expect(DailyLimit(argument: text) == nil) }
  }

  @Test func interfacesAreAListOfNames() {
    #expect(InterfaceNames(argument: "lo,enp0s3,wlan0.5")?.names == ["lo", "enp0s3", "wlan0.5"])
    for text in ["", ",", "lo,", "a b", "a/b", "abcdefghijklmnop"] { #expect(InterfaceNames(argument: text) == nil) }
  }
}
