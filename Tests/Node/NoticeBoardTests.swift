import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyNode

/// Tests of the notices for children: Protocol/07-local-api.md §4.
@Suite struct NoticeBoardTests {
  private let (emma, tom): (ChildID, ChildID)
  private let board = NoticeBoard(numbersFrom: 100)

  init() throws {
    emma = try #require(ChildID(bytes: [UInt8](repeating: 1, count: 16)))
    tom = try #require(ChildID(bytes: [UInt8](repeating: 2, count: 16)))
  }

  private func post(_ key: String, _ sentence: Phrase, to child: ChildID, at milliseconds: Int64 = 0) {
    board.post(.warned, key: key, sentence, to: .child(child), at: BootInstant(milliseconds: milliseconds))
  }

  @Test("A newer notice takes the place of an older one about the same thing; each child has its own")
  func replacing() {
    post("app/kart", "5", to: emma)
    post("app/chess", "5", to: emma)
    post("app/kart", "1", to: emma)
    post("app/kart", "15", to: tom)
    #expect(board.notices(for: .child(emma), after: 0).map(\.sentence) == ["5", "1"])
    #expect(board.notices(for: .child(emma), after: 0).map(\.number) == [102, 103])
    #expect(board.notices(for: .child(emma), after: 102).map(\.sentence) == ["1"])
    #expect(board.notices(for: .child(tom), after: 0).map(\.sentence) == ["15"])
    board.keep([tom])
    #expect(board.notices(for: .child(emma), after: 0).isEmpty && !board.notices(for: .child(tom), after: 0).isEmpty)
  }

  @Test("What is said again at once is not told again; later it is")
  func repetition() {
    let first = board.changes.version
    post("app/kart", "closed", to: emma, at: 0)
    post("app/kart", "closed", to: emma, at: 9_999)
    #expect(board.notices(for: .child(emma), after: 0).map(\.number) == [101])
    #expect(board.changes.version == first + 1)
    post("app/kart", "closed", to: emma, at: 10_000)
    #expect(board.notices(for: .child(emma), after: 0).map(\.number) == [102])
  }

  @Test("The newest are kept, and no more than the bound")
  func bound() {
    for number in 0..<1_000 { post("app/\(number)", "x", to: emma) }
    let kept = board.notices(for: .child(emma), after: 0)
    #expect(kept.count == NoticeBoard.capacity && kept.last?.key == "app/999")
  }

  @Test func answers() throws {
    let answer = RequestListing.Answer(
      isApproved: true, minutes: 20, word: "then bed", by: DeviceName(sanitising: "Kitchen laptop"), at: 0)
    var request = RequestListing(
      requestID: CommandID(milliseconds: 0, random: [UInt8](repeating: 0, count: 10)), short: "0000",
      childName: DeviceName(sanitising: "Emma"), deviceName: DeviceName(sanitising: "PC"), minutes: 30, appID: nil,
      category: nil, reason: "", askedAt: 0, day: .first, state: .approved, answer: answer)
    func sentence(_ answer: RequestListing.Answer) -> String {
      AnswerNoticeService.sentence(request, answer).worded()
    }
    #expect(sentence(answer) == "“Kitchen laptop” says yes to 20 min more: then bed")
    request.appName = "Kart"
    var no = answer
    (no.isApproved, no.minutes, no.word) = (false, nil, "")
    #expect(sentence(no) == "“Kitchen laptop” says no to 30 min for Kart.")
    request.minutes = nil
    #expect(sentence(no) == "“Kitchen laptop” says no to Kart.")
  }
}
