import LatchkeyCommands
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import Synchronization

/// A parent and many children whose nodes may be killed at any moment.
///
/// Requests are repeated until an answer arrives, and nothing is requested twice.
struct ChaosFamily: Sendable {
  let parent: NodeProcess
  let children: [NodeProcess]

  /// Repeats a request until the node answers; the requests are safe to repeat.
  static func persistently<Value>(_ ask: () async throws -> Value) async throws -> Value {
    var answer: Value?
    try await eventually("the node answers") {
      do { answer = try await ask() } catch let error as LocalAPIError where error.code == .timeout {
      } catch is NodeUnavailable {}
      return answer != nil
    }
    guard let answer else { throw LabFault("The node did not answer.") }
    return answer
  }

  /// Issues commands 1 to `count` to a child, each once: after a crash, it checks whether the command was accepted.
  func giveCommands(_ count: Int, to child: NodeProcess, accepted: () -> Void) async throws {
    for number in 1...count {
      try await Self.persistently {
        let api = try await parent.api
        let known = try await api.ask(Endpoints.getCommands, (child.name, 1)).first
        guard known.flatMap(Self.number) != number else { return }
        _ = try await api.ask(
          Endpoints.issue, CommandRequest(device: child.name, action: .message("in order \(number)")))
      }
      accepted()
    }
  }

  /// Record sessions 1 to `count` on a child, each one once: asked again for the same program, the node gives the same
  /// session.
  func recordUse(_ count: Int, on child: NodeProcess, accepted: () -> Void) async throws {
    for number in 1...count {
      let program = try UsedProgram()
      let id = try await Self.persistently {
        try await child.api.ask(Endpoints.startUsage, program.request("use.\(number)")).recordID
      }
      await program.end()
      try await Self.persistently { _ = try await child.api.ask(Endpoints.endUsage, id.description) }
      accepted()
    }
  }

  /// The number that a command of `giveCommands` carries.
  static func number(_ command: ConfigurationCommand) -> Int? {
    if let text = command.payload.as(TextMessage.self)?.text {
      return text.split(separator: " ").last.flatMap { Int($0) }
    }
    let limits = command.payload.as(Edit.self)?.registers.filter { $0.key.text.hasSuffix("/limit") } ?? []
    return limits.last?.value.flatMap { Int($0) }
  }
}
