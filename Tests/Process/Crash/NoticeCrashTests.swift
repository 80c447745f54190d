import GRDB
import LatchkeyModel
import LatchkeyNode
import LatchkeyTestSupport
import Synchronization
import Testing

extension ProcessTests {
  /// A parent's machine, and children's, are killed again and again while children ask.
  @Suite struct NoticeCrashTests {
    private static let children = ["Emma", "Ben", "Ida", "Tom"]
    private static let asks = 50
    private static let kills = 40

    /// What a receiver has told its person.
    private final class Told: Sendable {
      private let numbers = Mutex<[Int]>([])
      private let requests = Mutex<Set<CommandID>>([])

      func add(_ notice: ParentNotice) {
        numbers.withLock { $0.append(notice.number) }
        requests.withLock { $0.formUnion(notice.requests) }
      }

      var all: (numbers: [Int], requests: Set<CommandID>) { (numbers.withLock { $0 }, requests.withLock { $0 }) }
    }

    /// Repeats a request until the node, which is killed at times, answers it; `nil` for an answer
    /// that repeating does not change.
    private static func untilAnswered<Value: Sendable>(
      _ node: NodeProcess, _ ask: (any NodeInterface) async throws -> Value
    ) async throws -> Value? {
      var answer: Value?
      try await eventually("\(node.name) answers") {
        do { answer = try await ask(try await node.api) } catch let error as LocalAPIError {
          return error.code != .timeout && error.code != .limit
        } catch let error where !(error is CancellationError) { return false }
        return true
      }
      return answer
    }

    /// Asks again and again, at most as many times at once as a child may.
    private static func askAll(_ pc: NodeProcess) async throws {
      for _ in 0..<asks { _ = try await untilAnswered(pc) { try await $0.ask(Endpoints.ask, AskRequest(minutes: 5)) } }
    }

    /// Tells each notice, keeps its place, and answers what is asked.
    private static func tellAll(_ mum: NodeProcess, _ told: Told) async throws {
      while !Task.isCancelled {
        var new: [ParentNotice] = []
        try await eventually("there is a notice") {
          new = try await untilAnswered(mum) { try await $0.ask(Endpoints.getNotices, "desktop") }?.notices ?? []
          return !new.isEmpty
        }
        for notice in new where notice.kind == .asked {
          told.add(notice)
          _ = try await untilAnswered(mum) {
            try await $0.ask(Endpoints.setPosition, ("desktop", ReceiverPosition(position: notice.number)))
          }
          for request in notice.requests {
            let answer = AnswerRequest(request: request.description, isApproved: false)
            _ = try await untilAnswered(mum) { try await $0.ask(Endpoints.answerRequest, answer) }
          }
        }
      }
    }

    @Test("Each of 200 requests is told once, although the machines are killed 40 times meanwhile")
    func requests() async throws {
      var random = SeededRandom()
      print("NoticeCrashTests: \(random.note)")
      try await ProcessLab.run { lab in
        let mum = try await lab.runningNode(.parent, "Kitchen laptop")
        var machines: [NodeProcess] = []
        for name in Self.children {
          let pc = try await lab.runningNode(.child, "\(name)'s PC")
          try await lab.pair(mum, pc)
          _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: name)))
          machines.append(pc)
        }
        for pc in machines {
          try await eventually("\(pc.name) is a child's") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        }
        let told = Told()
        let telling = Task { try await Self.tellAll(mum, told) }
        defer { telling.cancel() }
        let asking = machines.map { pc in Task { try await Self.askAll(pc) } }
        defer { for task in asking { task.cancel() } }
        for _ in 0..<Self.kills {
          let node = Int.random(in: 0..<3, using: &random) > 0 ? mum : machines.randomElement(using: &random) ?? mum
          await node.kill()
          try await node.start()
          // No event: each kill comes at another moment of what goes on.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
        }
        for task in asking { try await task.value }
        try await eventually("all of them are answered") {
          try await mum.api.ask(Endpoints.getRequests, nil).allSatisfy { $0.state != .open }
        }
        for node in [mum] + machines { #expect(await node.terminate() == .exited(0)) }
        telling.cancel()

        var asked: Set<String> = []
        for pc in machines {
          asked.formUnion(
            try pc.read { try String.fetchAll($0, sql: "SELECT identity FROM fact WHERE kind = 'request'") })
        }
        let noted = try mum.read {
          try String.fetchAll($0, sql: "SELECT detail FROM parent_notice WHERE kind = 'asked' ORDER BY number")
        }
        // A child whose machine was killed before it had the answer has asked again.
        #expect(asked.count >= Self.children.count * Self.asks, "\(random.note)")
        #expect(noted.count == Set(noted).count && Set(noted) == asked, "\(random.note)")
        let all = told.all
        #expect(Set(all.numbers).count == all.numbers.count, "A notice was told twice, \(random.note)")
        #expect(Set(all.requests.map { Hexadecimal.encode($0.bytes) }) == asked, "\(random.note)")
      }
    }
  }
}
