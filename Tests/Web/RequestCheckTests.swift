import Testing

@testable import LatchkeyWeb

@Suite("The checks of requests")
struct RequestCheckTests {
  private let check = RequestCheck(host: "lk-7f3k2m.localhost:41234")
  private var own: String { "http://\(check.host)" }

  @Test(
    "A name that is not the server's is refused for every request",
    arguments: [
      nil, "", "evil.example", "evil.example:41234", "localhost:41234", "127.0.0.1:41234", "[::1]:41234",
      "lk-7f3k2m.localhost", "lk-7f3k2m.localhost:41235", "lk-7f3k2m.localhost.:41234", "x.lk-7f3k2m.localhost:41234",
      "lk-7f3k2m.localhost:41234@evil.example", "lk-7f3k2m.localhost:41234 ", "lk-7f3k2m.localhost:041234",
    ] as [String?])
  func names(_ host: String?) {
    for isChange in [false, true] {
      #expect(
        check.refusal(host: host, isChange: isChange, origin: own, site: "same-origin", isEntry: false) == .otherName)
      #expect(check.refusal(host: host, isChange: isChange, origin: nil, site: nil, isEntry: true) == .otherName)
    }
  }

  @Test("The server's name is accepted, whatever the case of its letters")
  func ownName() {
    for host in [check.host, "LK-7F3K2M.localhost:41234"] {
      #expect(check.refusal(host: host, isChange: true, origin: own, site: "same-origin", isEntry: false) == nil)
      #expect(check.refusal(host: host, isChange: false, origin: nil, site: "none", isEntry: false) == nil)
    }
  }

  @Test("A request that names two hosts names none")
  func twoNames() {
    #expect(WebRequest.host(check.host, others: 0) == check.host && WebRequest.host(nil, others: 0) == nil)
    for others in 1...2 { #expect(WebRequest.host(check.host, others: others) == nil) }
    #expect(WebRequest.host(nil, others: 1) == nil)
  }

  @Test(
    "A change of another site, or of none, is refused",
    arguments: [
      nil, "null", "", "http://evil.example", "https://lk-7f3k2m.localhost:41234", "http://lk-7f3k2m.localhost",
      "http://lk-7f3k2m.localhost:8080", "http://127.0.0.1:41234", "http://evil.localhost:41234",
      "http://lk-7f3k2m.localhost:41234/", "http://lk-7f3k2m.localhost:41234.evil.example",
    ] as [String?])
  func origins(_ origin: String?) {
    #expect(check.refusal(host: check.host, isChange: true, origin: origin, site: nil, isEntry: false) == .otherSite)
  }

  @Test("A change that the browser calls another site's is refused", arguments: ["cross-site", "same-site", "none"])
  func sites(_ site: String) {
    #expect(check.refusal(host: check.host, isChange: true, origin: own, site: site, isEntry: false) == .otherSite)
  }

  @Test("A one-time link may come from a file, and not from another site")
  func entry() {
    for origin in [nil, "null", own] {
      #expect(check.refusal(host: check.host, isChange: true, origin: origin, site: "cross-site", isEntry: true) == nil)
    }
    #expect(
      check.refusal(host: check.host, isChange: true, origin: "http://evil.example", site: nil, isEntry: true)
        == .otherSite)
  }

  @Test("A form without the session's token is refused")
  func tokens() {
    for given in [nil, "", "toke", "token ", "Token"] { #expect(!RequestCheck.isToken(given, of: "token")) }
    #expect(RequestCheck.isToken("token", of: "token"))
  }
}
