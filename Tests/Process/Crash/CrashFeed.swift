import LatchkeyCommands
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode

/// A feed for two nodes that are killed repeatedly, through their local APIs: sessions for the
/// child and commands for the parent, each accepted once, however often it has to be requested.
struct CrashFeed: Sendable {
  let parent: NodeProcess
  let child: NodeProcess
  let records: Int
  let commands: Int
  let pace: CrashPace

  private static let workers = 12

  /// Supplies items until all are accepted.
  func run() async throws {
    let parentAPI = try await parent.api
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.workers {
        group.addTask {
          let client = PlainClient(folder: child.folder)
          while let number = try await pace.take() {
            try await recordUse(number, client)
            await pace.recordAccepted()
          }
        }
      }
      group.addTask {
        for number in 1...commands {
          try await pace.reach(number * records / commands)
          try await giveCommand(number, parentAPI)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Repeats a request until the node answers; the requests are safe to repeat.
  private static func persistently<Value>(_ ask: () async throws -> Value) async throws -> Value {
    var answer: Value?
    try await eventually("the node answers") {
      do { answer = try await ask() } catch let error as LocalAPIError where error.code == .timeout {
      } catch is NodeUnavailable {}
      return answer != nil
    }
    guard let answer else { throw LabFault("The node did not answer.") }
    return answer
  }

  /// The number that a command of `giveCommand` carries.
  private static func number(_ command: ConfigurationCommand) -> Int? {
    command.payload.as(Edit.self)?.registers.last { $0.key.text.hasSuffix("/limit") }?.value.flatMap { Int($0) }
  }

  private func giveCommand(_ number: Int, _ api: ControlClient) async throws {
    var wasAsked = false
    try await Self.persistently {
      if wasAsked, try await api.ask(Endpoints.getCommands, (child.name, 1)).first.flatMap(Self.number) == number {
        return
      }
      wasAsked = true
      // As many rules as a family has: each edit is a command of its own, also of a rule that was
      // set before.
      _ = try await api.ask(Endpoints.setSettings, RuleRequest([.init("app/rule.\(number % 20)/limit", "\(number)")]))
    }
  }

  /// Asked again for the same program, the node gives the same session.
  private func recordUse(_ number: Int, _ client: PlainClient) async throws {
    let program = try UsedProgram()
    let id = try await Self.persistently {
      let started: UsageStarted = try await client.post("/v1/usage/sessions", program.request("use.\(number)"))
      return started.recordID
    }
    await program.end()
    try await Self.persistently {
      let _: UsageRecord = try await client.post("/v1/usage/sessions/\(id)/end", [String: String]())
    }
  }
}
