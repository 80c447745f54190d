import Testing

@testable import LatchkeyWeb

@Suite("The last page")
struct LastPageTests {
  @Test("The process may end ten minutes after the last page, and not while one is open")
  func pages() {
    var last = LastPage(now: 0)
    #expect(last.left(1) == 599_999)
    last.seen(100_000)
    #expect(last.left(600_000) == 100_000)
    last.opened(200_000)
    last.opened(300_000)
    #expect(last.left(9_000_000) > 0)
    last.closed(9_000_000)
    #expect(last.left(99_000_000) > 0)
    last.closed(99_000_000)
    #expect(last.left(99_599_999) == 1 && last.left(99_600_000) == 0)
  }
}
