import Foundation
import LatchkeyModel
import LatchkeyNode
import Logging
import Testing

@testable import LatchkeyBridge

/// Answers that turn out not to count after a receiver was told of them.
@Suite struct ToldAnswersTests {
  private let node = DayNode()
  private let server = ScriptedServer()

  private func bridge(_ record: String) -> Bridge {
    Bridge("phone", logger: Logger(label: "test"), record: record) { [node] _ in node }
  }

  private func look(_ isPhone: Bool, _ record: String) async throws {
    if isPhone {
      _ = try await NtfyTeller(try Sample.ntfy(), bridge(record), server).look()
    } else {
      let teller = WebhookTeller(try Sample.webhook(), bridge(record)) { [server] call in
        await server.post("", [], call.body)
      }
      _ = try await teller.look()
    }
  }

  @Test("A receiver is told once if an earlier answer counts than it was told of", arguments: [true, false])
  func corrected(isPhone: Bool) async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let id = try node.ask(1)
    try await look(isPhone, path)
    try node.answer(id)
    try await look(isPhone, path)
    #expect(server.bodies.count == 2)
    // The node hears of an earlier answer, also while no bridge runs.
    try node.answer(id, minutes: nil)
    for _ in 0..<2 { try await look(isPhone, path) }
    let sentence = "Another parent’s answer was earlier and counts. Answered: no."
    #expect(server.bodies.count == 3 && server.bodies[2].contains(sentence), "\(server.bodies)")
    node.endDay()
    try await look(isPhone, path)
    #expect(server.bodies.count == 3 && QuestionRecord(path).content?.answers == nil)
  }

  @Test("A press that came second is corrected on its phone, and the same answer of both parents is not")
  func pressed() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let teller = NtfyTeller(try Sample.ntfy(), bridge(path), server)
    let ids = [try node.ask(1), try node.ask(2)]
    _ = try await teller.look()
    for id in ids {
      await teller.begins([id])
      let given = try Sample.request(id, state: .approved, answer: #""isApproved":true,"minutes":30"#)
      await teller.ended([id], [teller.outcome(given)], isAnswered: true, answered: [given])
    }
    try node.answer(ids[0], minutes: nil)
    try node.answer(ids[1], minutes: 30)
    _ = try await teller.look()
    #expect(server.bodies.count == 5 && server.bodies[4].contains("counts. Answered: no."), "\(server.bodies)")
  }

  @Test("Up to where the topic of the buttons was read is kept with what the phone shows")
  func read() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let teller = NtfyTeller(try Sample.ntfy(), bridge(path), server)
    try node.ask(1)
    await teller.hasRead("aB3")
    #expect(QuestionRecord(path).content == nil, "It does not know yet what the phone shows.")
    _ = try await teller.look()
    await teller.hasRead("aB4")
    let later = NtfyTeller(try Sample.ntfy(), bridge(path), server)
    #expect(await later.lastRead == "aB4" && QuestionRecord(path).content?.questions.count == 1)
  }

  @Test("Of a question that the node lists no more, it is not said that nobody answered", arguments: [true, false])
  func gone(isPhone: Bool) async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try node.ask(1)
    try await look(isPhone, path)
    node.endDay()
    try await look(isPhone, path)
    let said = server.bodies.last ?? ""
    #expect(server.bodies.count == 2 && said.contains("That question waits for no answer any more."), "\(said)")
  }

  @Test("A correction is another delivery than what it corrects")
  func delivery() throws {
    let settings = try Sample.webhook()
    var notice = try Sample.asked()
    notice.isOver = true
    let given = try Sample.request(state: .approved, answer: #""isApproved":true,"minutes":30"#)
    let first = WebhookCall(notice, [given], settings)
    let other = WebhookCall(notice, [given], settings, isCorrection: true)
    #expect(first.delivery != other.delivery)
    #expect(other == WebhookCall(notice, [given], settings, isCorrection: true))
  }
}
