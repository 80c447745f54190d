import Testing

@testable import LatchkeyWeb

@Suite("Sessions of browsers")
struct SessionTableTests {
  @Test("A cookie that was not given out has no session, and one that was ended neither")
  func cookies() {
    var table = SessionTable()
    table.add(cookie: "cookie", token: "token", now: 0)
    #expect(table.session(cookie: "cookie", now: 1)?.token == "token")
    for other in ["", "token", "cookie ", "Cookie", "cooki"] { #expect(table.session(cookie: other, now: 1) == nil) }
    table.remove(cookie: "cookie")
    #expect(table.session(cookie: "cookie", now: 2) == nil)
  }

  @Test("A session ends after twelve hours without a request")
  func expiry() {
    var table = SessionTable()
    table.add(cookie: "cookie", token: "token", now: 0)
    #expect(table.session(cookie: "cookie", now: SessionTable.milliseconds - 1) != nil)
    #expect(table.session(cookie: "cookie", now: 2 * SessionTable.milliseconds - 2) != nil)
    #expect(table.session(cookie: "cookie", now: 3 * SessionTable.milliseconds) == nil)
  }

  @Test("The session that was not seen for the longest time makes room")
  func most() {
    var table = SessionTable()
    for number in 0..<SessionTable.most { table.add(cookie: "\(number)", token: "", now: Int64(number)) }
    #expect(table.session(cookie: "0", now: 100) != nil)
    table.add(cookie: "new", token: "", now: 101)
    #expect(table.count == SessionTable.most)
    #expect(table.session(cookie: "0", now: 102) != nil && table.session(cookie: "1", now: 102) == nil)
  }

  @Test("A sentence is told once, to its session alone")
  func words() {
    var table = SessionTable()
    table.add(cookie: "a", token: "", now: 0)
    table.add(cookie: "b", token: "", now: 0)
    let word = PageWord(sentences: ["Emma has 15 minutes more."], isFault: false)
    table.tell(word, cookie: "a")
    #expect(table.takeWord(cookie: "b") == nil)
    #expect(table.takeWord(cookie: "a") == word)
    #expect(table.takeWord(cookie: "a") == nil)
  }
}
