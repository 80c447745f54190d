import Testing

@testable import LatchkeyCommands

/// The smaller values that options take.
@Suite struct ArgumentValueTests {
  @Test(arguments: ["192.168.1.5:41234", "emma.local:1", "[::1]:65535", "[fe80::1%eth0]:80"])
  func anAddressIsReadAsItStands(text: String) {
    #expect(PeerAddress(argument: text)?.text == text)
  }

  @Test(arguments: [
    "", ":", "host", "host:", ":80", "host:0", "host:65536", "host:+1", "host:-1", "::1:80", "a b:80", "[]:80",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(PeerAddress(argument: text) == nil)
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
