import Foundation
import LatchkeyModel
import LatchkeyNode
import Logging
import Testing

@testable import LatchkeyBridge

/// Servers that are away for a day of simulated time.
@Suite struct AwayServerTests {
  private let node = DayNode()
  private let clock = TestClock()
  private let server = ScriptedServer()

  private func bridge(record: String? = nil) -> Bridge {
    Bridge("phone", logger: Logger(label: "test"), record: record) { [node] _ in node }
  }

  /// Has a child ask every five minutes of a day, of which all but the last three are answered, and
  /// looks as often as a bridge does; returns the most that waited.
  private func day(
    from first: Int, waiting: () async -> Int, look: () async throws -> Duration?
  ) async throws -> Int {
    var (most, rest) = (0, Duration.zero)
    for number in first..<first + 288 {
      let id = try node.ask(number)
      if number < first + 285 { try node.answer(id) }
      // A change, and then the looks until the next one.
      var left = Duration.seconds(300)
      rest = .zero
      while rest <= left {
        clock.advance(by: rest)
        left -= rest
        rest = try await look() ?? .seconds(300) + left
        most = max(most, await waiting())
      }
      clock.advance(by: left)
    }
    return most
  }

  @Test("A phone whose server was away for a day gets what is open, and what became of what it shows")
  func ntfy() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let teller = NtfyTeller(try Sample.ntfy(), bridge(record: path), server, now: { [clock] in clock.now })
    let shown = try (1...70).map { try node.ask($0) }
    _ = try await teller.look()
    #expect(server.bodies.count == 70)

    server.isAway = true
    for id in shown { try node.answer(id) }
    let before = server.tries
    let most = try await day(from: 1_000, waiting: { await teller.waiting }, look: { try await teller.look() })
    #expect(most <= ToldQuestions.most)
    #expect(server.tries - before < 400, "\(server.tries - before) tries in a day")
    let fault = WebFault.refused.sentence(of: "https://ntfy.example.org")
    #expect(node.faults.last == fault)
    #expect(node.faults.count <= 2, "The same fault is reported once.")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 65_536)

    server.isAway = false
    clock.advance(by: .seconds(400))
    _ = try await teller.look()
    let after = server.bodies.dropFirst(70)
    #expect(after.count { $0.contains("Answered: 30 min.") } == ToldQuestions.most)
    #expect(after.count { $0.contains("asks for time") } == 3 && after.count == ToldQuestions.most + 3)
    #expect(node.faults.last == .some(nil) && node.dropped == 0)
    #expect(await teller.waiting == 0)
  }

  @Test("A webhook that was away for a day is called about what is open; what it refused for a day is counted")
  func webhook() async throws {
    let teller = WebhookTeller(
      try Sample.webhook(), bridge(), now: { [clock] in clock.now },
      send: { [server] call in await server.post("", [], call.body) })
    server.isAway = true
    // It is open all day, and is tried all day.
    try node.ask(1)
    let most = try await day(from: 1_000, waiting: { await teller.waiting }, look: { try await teller.look() })
    #expect(most == 1)
    #expect(server.tries < 400, "\(server.tries) tries in a day")
    #expect(node.faults.last != .some(nil))

    server.isAway = false
    clock.advance(by: .seconds(2_200))
    _ = try await teller.look()
    #expect((3...4).contains(server.bodies.count) && node.faults.last == .some(nil))
    #expect(server.bodies.count + node.dropped == 4)
    #expect(await teller.waiting == 0)
  }

  @Test("A bridge that was away withdraws what it showed and was answered meanwhile, once")
  func restarted() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let ids = try (1...3).map { try node.ask($0) }
    _ = try await NtfyTeller(try Sample.ntfy(), bridge(record: path), server).look()
    try node.answer(ids[0])
    try node.answer(ids[2])
    // The first run after that finds the server away, and ends.
    server.isAway = true
    _ = try await NtfyTeller(try Sample.ntfy(), bridge(record: path), server).look()
    server.isAway = false
    for _ in 0..<2 { _ = try await NtfyTeller(try Sample.ntfy(), bridge(record: path), server).look() }
    let said = server.bodies.dropFirst(3)
    #expect(said.count == 2 && said.allSatisfy { $0.contains("Answered: 30 min.") }, "\(said)")
    #expect(said.allSatisfy { body in server.bodies.prefix(3).contains { Self.place($0) == Self.place(body) } })
  }

  @Test("A server that shows each message on its own is told in one what became of several questions")
  func gathered() async throws {
    let old = ScriptedServer(body: "{}")
    let teller = NtfyTeller(try Sample.ntfy(), bridge(), old)
    let ids = try (1...5).map { try node.ask($0) }
    _ = try await teller.look()
    for id in ids { try node.answer(id) }
    _ = try await teller.look()
    #expect(old.bodies.count == 6)
  }

  @Test("A webhook is called about what is over also if its bridge was away meanwhile")
  func webhookRestarted() async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    func teller() throws -> WebhookTeller {
      WebhookTeller(try Sample.webhook(), bridge(record: path)) { [server] call in
        await server.post("", [], call.body)
      }
    }
    let id = try node.ask(1)
    _ = try await teller().look()
    try node.answer(id)
    for _ in 0..<2 { _ = try await teller().look() }
    #expect(server.bodies.count == 2 && server.bodies[1].contains(#""isOver":true"#), "\(server.bodies)")
  }

  @Test(
    "A bridge that is killed after the server has taken a question tells what became of it", arguments: [true, false])
  func killed(isPhone: Bool) async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    let copy = path + "-copy"
    defer { for path in [path, copy] { try? FileManager.default.removeItem(atPath: path) } }
    let id = try node.ask(1)
    // What the next run finds if this one ends before it has the answer.
    server.atTaking = { try? FileManager.default.copyItem(atPath: path, toPath: copy) }
    try await look(isPhone, record: path)
    server.atTaking = nil
    try node.answer(id)
    for _ in 0..<2 { try await look(isPhone, record: copy) }
    #expect(server.bodies.count == 2 && server.bodies[1].contains("Answered: 30 min."), "\(server.bodies)")
  }

  @Test("A question whose answer from the server was lost is withdrawn if it is answered", arguments: [true, false])
  func lost(isPhone: Bool) async throws {
    let path = NSTemporaryDirectory() + "shown-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let id = try node.ask(1)
    server.losesAnswers = true
    try await look(isPhone, record: path)
    server.losesAnswers = false
    try node.answer(id)
    for _ in 0..<2 { try await look(isPhone, record: path) }
    #expect(server.bodies.count == 2 && server.bodies[1].contains("Answered: 30 min."), "\(server.bodies)")
    // One that no server has had is not told of afterwards.
    let next = try node.ask(2)
    server.isAway = true
    try await look(isPhone, record: path)
    server.isAway = false
    try node.answer(next)
    try await look(isPhone, record: path)
    #expect(server.bodies.count == 2, "\(server.bodies)")
  }

  /// Has a new run of a bridge look once.
  private func look(_ isPhone: Bool, record: String) async throws {
    if isPhone {
      _ = try await NtfyTeller(try Sample.ntfy(), bridge(record: record), server).look()
    } else {
      let teller = WebhookTeller(try Sample.webhook(), bridge(record: record)) { [server] call in
        await server.post("", [], call.body)
      }
      _ = try await teller.look()
    }
  }

  /// Returns the part of a message that says in whose place it is shown.
  private static func place(_ body: String) -> String? {
    body.split(separator: ",").first { $0.contains("sequence_id") }.map { $0.filter { !"{}".contains($0) } }
  }
}
