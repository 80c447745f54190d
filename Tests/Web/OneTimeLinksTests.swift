import Testing

@testable import LatchkeyWeb

@Suite("One-time links")
struct OneTimeLinksTests {
  @Test("A link lets in once, within a minute")
  func once() {
    var links = OneTimeLinks()
    links.add("first", now: 0)
    #expect(links.use("first", now: 59_999) == .accepted)
    #expect(links.use("first", now: 59_999) == .over)
    links.add("second", now: 60_000)
    #expect(links.use("second", now: 120_000) == .over)
  }

  @Test("Links do not end each other, and a browser uses each")
  func several() {
    var links = OneTimeLinks()
    links.add("first", now: 0)
    links.add("second", now: 10)
    #expect(links.use("second", now: 20) == .accepted && links.use("first", now: 20) == .accepted)
  }

  @Test("Ten wrong links end the open ones")
  func guessing() {
    var links = OneTimeLinks()
    links.add("right", now: 0)
    for number in 1...OneTimeLinks.mostWrong { #expect(links.use("wrong \(number)", now: 1) == .unknown) }
    #expect(links.use("right", now: 1) == .over)
    // The next one is not concerned.
    links.add("next", now: 2)
    #expect(links.use("wrong", now: 3) == .unknown)
    #expect(links.use("next", now: 3) == .accepted)
  }

  @Test("A link that was used does not count as a wrong one, however often it comes")
  func again() {
    var links = OneTimeLinks()
    links.add("used", now: 0)
    #expect(links.use("used", now: 1) == .accepted)
    links.add("open", now: 2)
    for _ in 0..<20 { #expect(links.use("used", now: 3) == .over) }
    #expect(links.use("open", now: 4) == .accepted)
  }

  @Test("The oldest of many ends")
  func many() {
    var links = OneTimeLinks()
    for number in 0...OneTimeLinks.most { links.add("\(number)", now: Int64(number)) }
    #expect(links.use("0", now: 20) == .over)
    #expect(links.use("1", now: 20) == .accepted)
  }
}
