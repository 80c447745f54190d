import LatchkeyModel
import Testing

@testable import LatchkeyProtocol

/// Tests of where a joiner searches, and of which answers end the search.
@Suite struct JoinSearchTests {
  private typealias Search = JoinSearch<String>
  private func at(_ milliseconds: Int64) -> BootInstant { BootInstant(milliseconds: milliseconds) }

  /// Runs one round in which each candidate gives the same answer.
  private func round(
    _ search: inout Search, _ announced: [(String, instance: String)], _ now: Int64, _ outcome: PairingOutcome?
  ) -> (tried: [String], ended: PairingOutcome?) {
    var tried: [String] = []
    for candidate in search.candidates(announced, now: at(now)) where search.takes(candidate) {
      tried.append(candidate.place)
      if let ended = search.judge(candidate, outcome, now: at(now)) { return (tried, ended) }
    }
    return (tried, nil)
  }

  @Test func theAddressInTheCodeComesBeforeTheNetwork() {
    var search = Search(given: nil, coded: "code", now: at(0))
    #expect(!search.asksNetwork)
    #expect(round(&search, [], 0, nil).tried == ["code"])
    #expect(search.next(now: at(0)) == .again)
    #expect(search.asksNetwork)
    #expect(round(&search, [("a", "x"), ("b", "y")], 0, nil).tried == ["a", "b"])
    #expect(search.next(now: at(0)) == .wait(500))
    // An unreachable address is tried again only after a while.
    #expect(round(&search, [("a", "x")], 1_999, nil).tried == [])
    #expect(round(&search, [("a", "x")], 2_000, nil).tried == ["code", "a"])
    #expect(search.next(now: at(14_900)) == .wait(100))
    #expect(search.next(now: at(15_000)) == .end(.notFound))
  }

  @Test func anAddressThatAPersonGaveIsTheOnlyOne() {
    var search = Search(given: "given", coded: "code", now: at(0))
    #expect(!search.asksNetwork)
    #expect(round(&search, [], 0, nil).tried == ["given"])
    #expect(search.next(now: at(0)) == .end(.notFound))
  }

  @Test(arguments: [PairingOutcome.wrongCode, .busy, .version, .refused])
  func aWordFromWhereTheCodeOrThePersonSaysEndsTheSearch(outcome: PairingOutcome) {
    var coded = Search(given: nil, coded: "code", now: at(0))
    #expect(round(&coded, [], 0, outcome).ended == outcome)
    var given = Search(given: "given", coded: nil, now: at(0))
    #expect(round(&given, [], 0, outcome).ended == outcome)
    // Any machine may have said this at another address. It is reported at the end if nothing
    // better was found.
    var announced = Search(given: nil, coded: nil, now: at(0))
    #expect(announced.asksNetwork)
    #expect(round(&announced, [("a", "x")], 0, outcome).ended == nil)
    // For a moment the inviter may still announce itself.
    #expect(announced.next(now: at(2_000)) == .wait(500))
    #expect(announced.next(now: at(2_001)) == .end(outcome))
  }

  @Test func theAnswersOfAllMachinesThatAnnounceTheCodeAreWaitedFor() {
    var search = Search(given: nil, coded: nil, now: at(0))
    // The address of a second machine cannot be reached, and other addresses of the first one are
    // not requested.
    #expect(round(&search, [("dead", "x")], 0, nil).tried == ["dead"])
    #expect(round(&search, [("dead", "x"), ("b", "y")], 10, .wrongCode).tried == ["b"])
    #expect(search.next(now: at(3_000)) == .wait(500))
    #expect(round(&search, [("dead", "x")], 3_000, .wrongCode).tried == ["dead"])
    #expect(search.next(now: at(5_001)) == .end(.wrongCode))
    var several = Search(given: nil, coded: nil, now: at(0))
    #expect(round(&several, [("a", "x")], 0, nil).tried == ["a"])
    #expect(round(&several, [("a", "x"), ("b", "x")], 10, .wrongCode).tried == ["b"])
    #expect(several.next(now: at(2_011)) == .end(.wrongCode))
  }

  @Test func aCodeThatNobodyShowsIsNotLookedForLongWhereOtherCodesAreOpen() {
    var search = Search(given: nil, coded: nil, now: at(0))
    _ = round(&search, [], 0, nil)
    #expect(search.next(hasOthers: true, now: at(5_000)) == .wait(500))
    #expect(search.next(hasOthers: false, now: at(5_001)) == .wait(500))
    #expect(search.next(hasOthers: true, now: at(5_001)) == .end(.notFound))
    // A machine that showed the code once may return.
    var seen = Search(given: nil, coded: nil, now: at(0))
    _ = round(&seen, [("a", "x")], 0, nil)
    #expect(seen.next(hasOthers: true, now: at(5_001)) == .wait(500))
  }

  @Test func aMachineWithSeveralAddressesIsAskedOnceUnlessItIsSilent() {
    var search = Search(given: nil, coded: nil, now: at(0))
    #expect(round(&search, [("a", "x"), ("b", "x"), ("c", "y")], 0, .wrongCode).tried == ["a", "c"])
    var silent = Search(given: nil, coded: nil, now: at(0))
    #expect(round(&silent, [("a", "x"), ("b", "x")], 0, .expired).tried == ["a", "b"])
  }

  /// A wrong answer at one address is not attributed to an address that does not answer.
  @Test func anUnreachedAddressOfTheCodeHasNoWord() {
    var search = Search(given: nil, coded: "code", now: at(0))
    _ = round(&search, [], 0, nil)
    _ = search.next(now: at(0))
    #expect(round(&search, [("liar", "x")], 10, .wrongCode).ended == nil)
    #expect(round(&search, [("b", "y")], 2_500, nil) == (["code", "b"], nil))
    #expect(search.next(now: at(2_500)) == .wait(500))
  }

  @Test func silenceFromTheAddressInTheCodeIsAnAnswerAfterAShortLook() {
    var search = Search(given: nil, coded: "code", now: at(0))
    #expect(round(&search, [], 0, .expired).ended == nil)
    #expect(search.next(now: at(100)) == .again)
    _ = round(&search, [], 100, nil)
    #expect(search.next(now: at(2_100)) == .wait(500))
    #expect(search.next(now: at(2_101)) == .end(.expired))
  }

  @Test func howAnAddressWasLearnedIsKept() {
    #expect(Search.Candidate.given("a").source == .given && Search.Candidate.coded("a").source == .code)
    #expect(Search.Candidate.announced("a", instance: "x").source == .mdns)
  }
}
