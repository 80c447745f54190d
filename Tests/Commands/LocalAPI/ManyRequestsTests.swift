import LatchkeyHousehold
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Requests in number, and callers that hold theirs open.
@Suite struct ManyRequestsTests {
  @Test func everyOneOfManyRequestsIsAnsweredOnce() async throws {
    let node = ScriptedNode()
    try await ServedNode.with(node) { served in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            for _ in 0..<50 {
              _ = try await served.client.ask(
                Endpoints.issue, CommandRequest(device: "Emma's PC", action: .requestReport))
            }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(node.calls.count == 800)
  }

  @Test func aReadingIsAnsweredAtTheFirstTry() async throws {
    try await ServedNode.with(ScriptedNode()) { served in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            for _ in 0..<50 {
              let (status, _) = try await served.ask("GET", "/v1/settings")
              #expect(status == 200)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
