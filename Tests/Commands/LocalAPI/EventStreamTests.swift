import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Streams of events: their form, and their end when either side has had enough.
@Suite struct EventStreamTests {
  private func node() -> ScriptedNode {
    var script = ScriptedNode.Script()
    script.syncStates = [.idle, .synced(at: 5)]
    return ScriptedNode(script)
  }

  private func answer(accept: String?) async throws -> (head: String, body: String) {
    var answer = ""
    try await ServedNode.with(node()) { served in
      let header = accept.map { "accept: \($0)\r\n" } ?? ""
      answer = try await served.raw("GET /v1/sync HTTP/1.1\r\nhost: x\r\n\(header)connection: close\r\n\r\n")
    }
    let halves = answer.components(separatedBy: "\r\n\r\n")
    return (halves[0].lowercased(), halves.dropFirst().joined(separator: "\r\n\r\n"))
  }

  @Test(arguments: [nil, "*/*", "application/json", "application/x-ndjson"]) func linesOfJSON(accept: String?)
    async throws
  {
    let (head, body) = try await answer(accept: accept)
    #expect(head.hasPrefix("http/1.1 200 ok"))
    #expect(head.contains("content-type: application/x-ndjson"))
    #expect(body.contains(#"{"state":"idle"}"# + "\n"))
    #expect(body.contains(#"{"at":5,"state":"synced"}"# + "\n"))
    #expect(!body.contains("data:"))
  }

  @Test(arguments: ["text/event-stream", "Text/Event-Stream; q=1, */*"]) func eventsForBrowsers(accept: String)
    async throws
  {
    let (head, body) = try await answer(accept: accept)
    #expect(head.contains("content-type: text/event-stream"))
    #expect(body.contains(#"data: {"state":"idle"}"# + "\n\n"))
    #expect(body.contains(#"data: {"at":5,"state":"synced"}"# + "\n\n"))
  }

  @Test func aReaderThatLeavesEndsAStreamInWhichNothingHappens() async throws {
    var script = ScriptedNode.Script()
    (script.syncStates, script.endsSync) = ([.connecting], false)
    let node = ScriptedNode(script)
    try await ServedNode.with(node) { served in
      for await state in try await served.client.ask(Endpoints.syncStates) {
        #expect(state == .connecting)
        break
      }
      var endings = node.endings.makeAsyncIterator()
      #expect(await endings.next() != nil)
    }
  }
}
