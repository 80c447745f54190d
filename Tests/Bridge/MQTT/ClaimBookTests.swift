import Testing

@testable import LatchkeyBridge

/// Which of several bridges serves a child: Protocol/14-bridge.md §4.
@Suite struct ClaimBookTests {
  @Test("A child is free until a bridge that is online has claimed it, and again when that one is gone")
  func standing() {
    var book = ClaimBook(own: "aa")
    #expect(book.standing(of: "c1") == .free)
    book.note(claim: "bb", of: "c1")
    #expect(book.standing(of: "c1") == .free)
    book.note("bb", isOnline: true)
    #expect(book.standing(of: "c1") == .other("bb"))
    book.note("bb", isOnline: false)
    #expect(book.standing(of: "c1") == .free)
    book.note(claim: "aa", of: "c1")
    #expect(book.standing(of: "c1") == .own && book.owned == ["c1"])
    book.note(claim: "", of: "c1")
    #expect(book.standing(of: "c1") == .free && book.owned.isEmpty)
  }

  @Test("A bridge is not alone while another one is online, whatever that has claimed")
  func others() {
    var book = ClaimBook(own: "aa")
    book.note("aa", isOnline: true)
    book.note("bb", isOnline: false)
    #expect(!book.hasOthers)
    book.note("bb", isOnline: true)
    #expect(book.hasOthers)
  }

  @Test("A claim that nobody answers for is one that another bridge has, until it is said again")
  func forged() {
    var book = ClaimBook(own: "aa")
    book.note("ff", isOnline: true)
    book.note(claim: "ff", of: "c1")
    #expect(book.isTaken("c1") && !book.isAnswered("c1") && book.owned.isEmpty)
    let asked = book.question(about: "c1")
    #expect(asked != nil && !book.isAnswered("c1"))
    book.note(claim: "ff", of: "c1", isLive: true)
    #expect(book.isAnswered("c1"))
  }

  @Test("Two bridges that claim a child at once agree on the one whose claim the broker put last")
  func atOnce() {
    for order in [["aa", "bb"], ["bb", "aa"]] {
      var books = ["aa", "bb"].map { ClaimBook(own: $0) }
      for index in books.indices {
        for bridge in order {
          books[index].note(bridge, isOnline: true)
          books[index].note(claim: bridge, of: "c1")
        }
      }
      #expect(books.map { $0.standing(of: "c1") == .own }.count { $0 } == 1, "\(order)")
    }
  }

  @Test("Each new claim of another bridge is asked about, and one that is not answered ends with its bridge")
  func questions() throws {
    var book = ClaimBook(own: "aa")
    book.note("bb", isOnline: true)
    book.note(claim: "bb", of: "c1")
    let asked = book.question(about: "c1")
    let first = try #require(asked)
    let again = book.question(about: "c1")
    #expect(again == nil && !book.isAnswered("c1"))
    // What the broker kept is no answer.
    book.note(claim: "bb", of: "c1")
    #expect(!book.isAnswered("c1"))
    book.note(claim: "bb", of: "c1", isLive: true)
    let isGone = book.giveUp(first, about: "c1")
    #expect(book.isAnswered("c1") && !isGone)
    // After its time it is asked again.
    let expired = [book.expire(first, about: "c1"), book.expire(first, about: "c1")]
    #expect(expired == [true, false] && !book.isAnswered("c1"))
    let askedAgain = book.question(about: "c1")
    let second = try #require(askedAgain)
    let givenUp = [book.giveUp(first, about: "c1"), book.giveUp(second, about: "c1")]
    #expect(givenUp == [false, true] && book.standing(of: "c1") == .free)
    book.note(claim: "aa", of: "c1", isLive: true)
    let own = book.question(about: "c1")
    #expect(own == nil && book.standing(of: "c1") == .own)
    // The same claim again, after this bridge has taken over, is a new one.
    book.note("bb", isOnline: true)
    book.note(claim: "bb", of: "c1", isLive: true)
    let new = book.question(about: "c1")
    #expect(new != nil && !book.isAnswered("c1"))
  }

  @Test("A child is taken over by the claim of another bridge, and not by a bridge that is said to be online")
  func takenOver() {
    var book = ClaimBook(own: "aa")
    book.note("bb", isOnline: true)
    book.note(claim: "aa", of: "c1")
    #expect(book.hasOthers && !book.isTaken("c1"))
    book.note(claim: "", of: "c1")
    #expect(book.hasOthers && !book.isTaken("c1"))
    book.note(claim: "bb", of: "c1", isLive: true)
    #expect(book.isTaken("c1"))
  }

  @Test("What a stranger publishes in thousands of topics is not kept")
  func bound() {
    var book = ClaimBook(own: "aa")
    for number in 0..<10_000 { book.note(claim: "aa", of: String(number, radix: 16)) }
    #expect(book.owned.count == 4_096)
    book.note(claim: "not a bridge", of: "0")
    #expect(book.standing(of: "0") == .free)
  }
}
