import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

@testable import LatchkeyBridge

@Suite("Messages to phones")
struct NtfyMessageTests {
  @Test("A bare text holds no name, application or reason", arguments: ParentNotice.Kind.allCases)
  func bare(_ kind: ParentNotice.Kind) throws {
    let requests = [try Sample.request()]
    let text = NoticeDetail.bare.text(try Sample.notice(kind), requests)
    for word in ["Emma", "PC", "Kart", "level", "45"] { #expect(!text.contains(word), "\(text)") }
    #expect(NoticeDetail.full.text(try Sample.notice(kind), requests) == "A sentence about Emma, Emma's PC and Kart.")
    let names = NoticeDetail.names.text(try Sample.notice(kind), requests)
    #expect(!names.contains("Kart") && !names.contains("level"), "\(names)")
  }

  @Test("What a child asks for, at each level")
  func asked() throws {
    let (notice, time, app) = (try Sample.asked(), [try Sample.request()], [try Sample.request(minutes: nil)])
    #expect(NoticeDetail.bare.text(notice, time) == "A child asks for time.")
    #expect(NoticeDetail.bare.text(notice, app) == "A child asks for an application.")
    #expect(NoticeDetail.names.text(notice, time) == "Emma asks for 45 min.")
    #expect(NoticeDetail.names.text(notice, app) == "Emma asks for an application.")
    #expect(NoticeDetail.full.text(notice, time) == notice.sentence)
    var long = notice
    long.sentence = String(repeating: "“é", count: 2_000)
    #expect(NoticeDetail.full.text(long, time).utf8.count <= NoticeDetail.mostBytes)
  }

  @Test("What became of a request, at each level")
  func outcome() throws {
    let yes = try Sample.request(state: .approved, answer: #""isApproved":true,"minutes":30"#)
    #expect(NoticeDetail.bare.outcome(yes) == "Answered: 30 min.")
    #expect(NoticeDetail.names.outcome(yes) == "Emma gets 30 min.")
    #expect(NoticeDetail.full.outcome(yes) == "Emma gets 30 min. It was answered on Dad's laptop.")
    let no = try Sample.request(minutes: nil, state: .denied, answer: #""isApproved":false"#)
    #expect(NoticeDetail.bare.outcome(no) == "Answered: no.")
    #expect(NoticeDetail.names.outcome(no) == "Emma does not get the application.")
    #expect(NoticeDetail.full.outcome(no).hasPrefix("Emma does not get Kart."))
  }

  @Test("A question has three buttons, one about an application two, and none without the right")
  func buttons() throws {
    let settings = try Sample.ntfy()
    let time = NtfyMessage(try Sample.asked(), [try Sample.request()], settings)
    #expect(time.actions?.map(\.label) == ["15 min", "30 min", "No"])
    let app = NtfyMessage(try Sample.asked(), [try Sample.request(minutes: nil)], settings)
    #expect(app.actions?.map(\.label) == ["Yes", "No"])
    for action in time.actions ?? [] {
      #expect(action.url == "https://ntfy.example.org/lk00000000000000000000000000000002" && action.headers == nil)
      let code = try #require(ButtonCode.read(action.body, key: Sample.key))
      #expect(code.notice == 57 && code.requests == [Sample.ids[0]] && code.choice.label == action.label)
    }
    #expect(NtfyMessage(try Sample.asked(), [try Sample.request()], try Sample.ntfy(["may": ""])).actions == nil)
    #expect(NtfyMessage(try Sample.notice(.machineBack), [], settings).actions == nil)
    let many = try Sample.ids.map { try Sample.request($0) }
    #expect(NtfyMessage(try Sample.asked(Sample.ids), many, settings).actions == nil)
    let token = NtfyMessage(try Sample.asked(), [try Sample.request()], try Sample.ntfy([:], ["buttonToken": "tk_1"]))
    #expect(token.actions?.first?.headers == ["Authorization": "Bearer tk_1"])
    // As large as it gets, it is within the 4 KB of a push service.
    let most = try Sample.ids[..<8].map { try Sample.request($0) }
    let largest = NtfyMessage(try Sample.asked(Array(Sample.ids[..<8])), most, settings)
    #expect(try JSONEncoder().encode(largest).count < 4_096)
  }

  @Test("What became of a question is quiet and takes its place")
  func place() throws {
    let settings = try Sample.ntfy()
    let notice = try Sample.asked()
    let question = NtfyMessage(notice, [try Sample.request()], settings)
    let answer = NtfyMessage("Answered: no.", in: NtfyMessage.place(notice), settings)
    #expect(answer.sequence == question.sequence && answer.priority == .low && answer.actions == nil)
    #expect(question.sequence.utf8.count == 16 && question.priority == .high)
    #expect(NtfyMessage(try Sample.notice(.machineBack), [], settings).sequence != question.sequence)
  }

  @Test("Settings that are no good are refused with a sentence")
  func settings() throws {
    for (values, secrets) in [
      (["server": "ntfy"], [:]), (["server": "http://ntfy.example.org"], [:]), (["out": "short"], [:]),
      (["in": "lk00000000000000000000000000000001"], [:]), (["text": "all"], [:]), ([:], ["key": "00"]),
      (["in": "lk0000000000000000000000000000/../x"], [:]),
    ] as [([String: String], [String: String])] {
      #expect(throws: BridgeFault.self, "\(values)") { try Sample.ntfy(values, secrets) }
    }
    #expect(try Sample.ntfy(["server": "http://127.0.0.1:80"]).server.text == "http://127.0.0.1:80")
    #expect(try Sample.ntfy(["server": "http://ntfy.lan", "insecure": "yes"]).detail == .bare)
    #expect(try Sample.ntfy([:], ["secret": "tk_1"]).headers.first?.1 == "Bearer tk_1")
    #expect(try Sample.ntfy(["username": "node"], ["secret": "pw"]).headers.first?.1 == "Basic bm9kZTpwdw==")
  }

  @Test("Each refusal of a server is a sentence with a next step")
  func faults() {
    for status in [301, 400, 401, 403, 404, 413, 418, 429, 500, 503, 507] {
      for wish in [NtfyFault.Wish.publish, .read] {
        let sentence = NtfyFault.sentence(status, of: "https://ntfy.example.org", to: wish)
        #expect(sentence.hasPrefix("https://ntfy.example.org") && sentence.contains(": ") && sentence.hasSuffix("."))
      }
    }
  }

  @Test("A topic to which somebody else posts is told, and not for ever")
  func foreign() {
    let start = ContinuousClock().now
    var dropped = DropCount()
    for _ in 0..<19 { dropped.add(.foreign, at: start + .seconds(3_000)) }
    dropped.add(.duplicate, at: start + .seconds(3_000))
    #expect(dropped.sentence(at: start + .seconds(3_000)) == nil)
    // The hour is any hour, whenever the first message came.
    dropped.add(.foreign, at: start + .seconds(4_000))
    #expect(dropped.sentence(at: start + .seconds(4_000)) != nil)
    #expect(dropped.sentence(at: start + .seconds(6_599)) != nil)
    #expect(dropped.sentence(at: start + .seconds(6_600)) == nil)
  }

  @Test("Foreign messages that come slowly are not told")
  func slowlyForeign() {
    let start = ContinuousClock().now
    var dropped = DropCount()
    for number in 0..<1_000 {
      let now = start + .seconds(number * 200)
      dropped.add(.foreign, at: now)
      #expect(dropped.sentence(at: now) == nil)
    }
  }

  @Test("What was dropped is logged once a minute at most, and without a further message")
  func pending() {
    let start = ContinuousClock().now
    var dropped = DropCount()
    #expect(dropped.due(at: start) == nil)
    dropped.add(.late, at: start)
    #expect(dropped.due(at: start) == [.late: 1])
    dropped.add(.foreign, at: start + .seconds(1))
    dropped.add(.foreign, at: start + .seconds(2))
    dropped.add(.duplicate, at: start + .seconds(2))
    #expect(dropped.due(at: start + .seconds(59)) == nil)
    #expect(dropped.due(at: start + .seconds(60)) == [.foreign: 2, .duplicate: 1])
    #expect(dropped.due(at: start + .seconds(600)) == nil)
  }

  @Test("Questions are settled once, and as many are remembered as there is room for")
  func questions() throws {
    var questions = ToldQuestions()
    questions.told(try Sample.asked())
    questions.told(try Sample.notice(.machineBack))
    #expect(questions.settled([try Sample.request()]).isEmpty)
    let answered = [try Sample.request(state: .denied, answer: #""isApproved":false"#)]
    #expect(questions.settled(answered).map(\.notice.number) == [57])
    #expect(questions.settled(answered).isEmpty && questions.isEmpty)
    questions.told(try Sample.asked())
    #expect(questions.settled([]).first?.requests.isEmpty == true)
    for number in 0..<1_000 {
      var notice = try Sample.asked(number: number)
      notice.key = "asked/\(number)"
      questions.told(notice)
    }
    #expect(questions.settled([]).map(\.notice.number) == Array(936..<1_000))
    questions.recover([try Sample.request(), try Sample.request(Sample.ids[1])], besides: [try Sample.asked()])
    #expect(questions.notice(of: Sample.ids[0]) == nil && questions.notice(of: Sample.ids[1]) != nil)
  }

  @Test("A tap opens the page on which a parent sees what the notice is about, while phones have pages")
  func click() throws {
    let settings = try Sample.ntfy([:])
    let pages = "https://192.168.1.5:21000/"
    #expect(NtfyMessage(try Sample.asked(), [try Sample.request()], settings).click == nil)
    #expect(NtfyMessage(try Sample.asked(), [try Sample.request()], settings, pages: pages).click == pages)
    #expect(NtfyMessage(try Sample.notice(.machineBack), [], settings, pages: pages).click == pages + "machines")
  }
}
